package server

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/chubbycell/chubby/internal/transport/peer"
	"github.com/chubbycell/chubby/internal/transport/rpc/chubbyv1"
	"github.com/chubbycell/chubby/internal/versions"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// Bounds of one answer, which keep it below the size of a message.
const (
	mostListed    = 1000 // sessions
	mostOfSession = 400  // handles of one session, and locks; the next answer has those that follow
)

// errStarting is the answer to an operator before the replica has read its log.
var errStarting = errors.New("the replica reads its log")

// operator answers the service for operators.
type operator struct{ s *Server }

// Describe implements rpc.Operator.
func (p operator) Describe(ctx context.Context, who api.Principal) (*chubbyv1.ReplicaDescription, error) {
	s := p.s
	if s.replica.Load() == nil {
		return nil, errStarting
	}
	o, _, err := s.overview(ctx)
	if err != nil {
		return nil, err
	}
	now, err := s.replica.Load().Status(ctx) // an overview may be old: rates need counts of this moment
	if err != nil {
		return nil, err
	}
	syncs := now.SyncedIn.Count()
	name := fmt.Stringer.String
	if !s.cfg.isOperator(who) {
		name = func(fmt.Stringer) string { return hidden }
	}
	links := s.peers.Status()
	d := &chubbyv1.ReplicaDescription{
		Cell: s.cfg.Cell, Replica: s.cfg.ID, Role: string(o.Role), State: o.State, Leader: uint32(o.Leader), Serving: o.Serving,
		Epoch: uint64(o.Epoch), Ballot: o.Promised.String(), AppliedSlot: uint64(now.Applied), LogSyncs: &syncs, KeepAlives: &now.KeepAlives, SnapshotSlot: uint64(o.Snapshot),
		LeaseLeftMs: milliseconds(o.Lease), Sessions: o.Status.Sessions, LocksHeld: uint64(o.Held), LockDelays: uint64(o.Delayed),
		Limits: s.limits(&o), Warnings: append(s.secrets.warnings(time.Now()), warnings(&o, links, name)...),
		CommandsInUse: uint32(now.Version), Program: program(),
	}
	for _, m := range o.Members {
		d.Members = append(d.Members, s.describeMember(m, links))
	}
	return d, nil
}

// program describes the program of this replica.
func program() *chubbyv1.Program {
	of := func(r versions.Range) *chubbyv1.VersionRange {
		return &chubbyv1.VersionRange{Oldest: uint32(r.Oldest), Newest: uint32(r.Newest)}
	}
	p := &chubbyv1.Program{Commands: of(formats.Commands), Peers: of(formats.Messages), Clients: of(versions.Range{Oldest: api.OldestVersion, Newest: api.NewestVersion})}
	if b := build(); b != "unknown" {
		p.Build = b
	}
	return p
}

func milliseconds(d time.Duration) uint64 { return uint64(max(0, d.Milliseconds())) }

func (s *Server) describeMember(m replica.Member, links []peer.PeerStatus) *chubbyv1.MemberDescription {
	d := &chubbyv1.MemberDescription{
		Id: uint32(m.ID), PeerAddr: s.cfg.Members[uint32(m.ID)], Connected: m.IsThisReplica,
		SilentMs: milliseconds(m.Silent), OtherRows: m.HasOtherRows,
	}
	for _, l := range links {
		if l.ID == paxos.NodeID(d.Id) {
			d.Connected, d.Error = l.Connected, l.Err
		}
	}
	return d
}

func (s *Server) limits(o *replica.Overview) *chubbyv1.Limits {
	return &chubbyv1.Limits{
		PrincipalNodes: o.Limits.Principal.Nodes, PrincipalBytes: o.Limits.Principal.Bytes,
		DirectoryNodes: o.Limits.Directory.Nodes, DirectoryBytes: o.Limits.Directory.Bytes,
		Sessions: o.MostAlive, SessionLeaseMs: milliseconds(s.cfg.LeaseMin), SessionLeaseMaxMs: milliseconds(s.cfg.LeaseMax),
		Clients: uint64(s.cfg.MaxClients),
	}
}

// ListSessions implements rpc.Operator.
func (p operator) ListSessions(ctx context.Context, who api.Principal, q *chubbyv1.ListSessionsRequest) (*chubbyv1.SessionList, error) {
	r := p.s.replica.Load()
	if r == nil {
		return nil, errStarting
	}
	l := &chubbyv1.SessionList{OwnOnly: !p.s.cfg.isOperator(who)}
	if q.GetSession() != 0 {
		d, ok, err := r.FindSession(ctx, api.SessionID(q.GetSession()))
		if err == nil && ok && (!l.OwnOnly || d.Principal == who) {
			l.Sessions = append(l.Sessions, detailOf(d, handleID(q.GetBehind())))
		}
		return l, err
	}
	most := int(q.GetMost())
	if most == 0 || most > mostListed {
		most = mostListed
	}
	of := api.Principal("")
	if l.OwnOnly {
		of = who
	}
	all, more, err := r.ListSessions(ctx, api.SessionID(q.GetAfter()), most, of)
	for _, x := range all {
		l.Sessions = append(l.Sessions, sessionOf(x))
	}
	l.More = more
	return l, err
}

// SetLimits implements rpc.Operator.
func (p operator) SetLimits(ctx context.Context, who api.Principal, q *chubbyv1.SetLimitsRequest) error {
	r := p.s.replica.Load()
	switch {
	case !p.s.cfg.isOperator(who):
		return errNoOperator(who)
	case r == nil:
		return errStarting
	}
	l := replica.Limits{Sessions: q.GetSessions()}
	l.Principal = tree.Usage{Nodes: q.GetPrincipalNodes(), Bytes: q.GetPrincipalBytes()}
	l.Directory = tree.Usage{Nodes: q.GetDirectoryNodes(), Bytes: q.GetDirectoryBytes()}
	if l == (replica.Limits{}) {
		return status.Error(codes.InvalidArgument, "no limit is given")
	}
	err := r.SetLimits(ctx, l)
	switch {
	case err == nil:
		p.s.overviews.forget()
		p.s.log.Info("limits set", "by", who, "limits", q)
	case errors.Is(err, replica.ErrLimit):
		return status.Error(codes.InvalidArgument, err.Error())
	case errors.Is(err, replica.ErrLimitsUnknown):
		return status.Error(codes.Unknown, err.Error())
	}
	return err
}

func errNoOperator(who api.Principal) error {
	return status.Errorf(codes.PermissionDenied, "%q is no operator of the cell: the replicas' configurations name them (key operators)", who)
}

// Backup implements rpc.Operator.
func (p operator) Backup(ctx context.Context, who api.Principal) (*chubbyv1.BackupResponse, error) {
	r := p.s.replica.Load()
	switch {
	case !p.s.cfg.isOperator(who):
		return nil, errNoOperator(who)
	case r == nil:
		return nil, errStarting
	}
	p.s.log.Info("backup ordered", "by", who)
	b, err := r.Backup(ctx)
	switch {
	case errors.Is(err, replica.ErrNoBackups):
		return nil, status.Error(codes.FailedPrecondition, "no place of backups is configured (key backup_dir)")
	case errors.Is(err, replica.ErrBackupFailed):
		return nil, status.Error(codes.Aborted, err.Error())
	case errors.Is(err, replica.ErrBackupLost):
		return nil, status.Error(codes.Unknown, err.Error())
	case err != nil:
		return nil, err
	}
	file := filepath.Join(p.s.cfg.BackupDir, filepath.FromSlash(b.File))
	if full, err := filepath.Abs(file); err == nil { // the caller does not know the working directory
		file = full
	}
	return &chubbyv1.BackupResponse{Slot: uint64(b.Slot), File: file}, nil
}

// Resign implements rpc.Operator.
func (p operator) Resign(ctx context.Context, who api.Principal) (*chubbyv1.ResignResponse, error) {
	r := p.s.replica.Load()
	switch {
	case !p.s.cfg.isOperator(who):
		return nil, errNoOperator(who)
	case r == nil:
		return nil, errStarting
	}
	// Between the question and the resignation the replica may cease to lead. Resign then only postpones its next
	// campaign.
	switch now, err := r.Status(ctx); {
	case err != nil:
		return nil, err
	case now.Role != paxos.Leader && now.Leader == 0:
		return nil, status.Errorf(codes.Aborted, "replica %d does not lead, and knows no leader: nothing was done", p.s.cfg.ID)
	case now.Role != paxos.Leader:
		return nil, status.Errorf(codes.Aborted, "replica %d does not lead, but replica %d does: nothing was done", p.s.cfg.ID, now.Leader)
	default:
		p.s.log.Info("resignation ordered", "by", who)
		return &chubbyv1.ResignResponse{Epoch: uint64(now.Epoch)}, r.Resign(ctx)
	}
}

// EndSession implements rpc.Operator.
func (p operator) EndSession(ctx context.Context, who api.Principal, q *chubbyv1.EndSessionRequest) (*chubbyv1.EndSessionResponse, error) {
	r := p.s.replica.Load()
	switch {
	case !p.s.cfg.isOperator(who):
		return nil, errNoOperator(who)
	case r == nil:
		return nil, errStarting
	}
	d, err := r.Dismiss(ctx, api.SessionID(q.GetSession()))
	switch {
	case errors.Is(err, replica.ErrNoSession):
		return &chubbyv1.EndSessionResponse{Epoch: uint64(d.Epoch)}, nil
	case errors.Is(err, replica.ErrNoLeases):
		return nil, status.Error(codes.FailedPrecondition, err.Error())
	case err != nil:
		return nil, err
	}
	if d.IsNew { // the caller asks again until the session has ended
		p.s.log.Info("end of session ordered", "by", who, "session", q.GetSession(), "of", d.Principal, "lease_left", d.Left)
	}
	return &chubbyv1.EndSessionResponse{Alive: true, Epoch: uint64(d.Epoch), LeaseLeftMs: milliseconds(d.Left), Principal: string(d.Principal)}, nil
}

func sessionOf(x replica.Session) *chubbyv1.SessionDescription {
	return &chubbyv1.SessionDescription{
		Id: uint64(x.ID), Principal: string(x.Principal), Locks: uint32(x.Locks), Known: x.IsKnown,
		LeaseLeftMs: milliseconds(x.Lease), Acknowledged: x.HasAcked, Ending: x.Expiring || x.IsDismissed, Handles: uint32(x.Handles),
	}
}

// detailOf is a session with its first handles behind one, and the locks that they hold.
func detailOf(x replica.SessionDetail, behind api.HandleID) *chubbyv1.SessionDescription {
	open := x.Open[after(x.Open, behind, openID):]
	held := x.Held[after(x.Held, behind, heldBy):]
	d := sessionOf(x.Session)
	if last, more := lastOf(open, held); more {
		d.Last = &chubbyv1.HandleNumber{Epoch: uint64(last.Epoch), Counter: last.Counter}
		open, held = open[:after(open, last, openID)], held[:after(held, last, heldBy)]
	}
	for _, h := range open {
		d.Open = append(d.Open, &chubbyv1.OpenHandle{Id: h.ID.String(), Path: h.Node.Path.String(), Rights: h.Rights.String()})
	}
	for _, h := range held {
		d.Held = append(d.Held, &chubbyv1.HeldLock{Path: h.Lock.Path.String(), Handle: h.Owner.Handle.String(), Mode: h.Mode.String()})
	}
	return d
}

func openID(h handle.Handle) api.HandleID { return h.ID }

func heldBy(h lock.Holding) api.HandleID { return h.Owner.Handle }

func handleID(n *chubbyv1.HandleNumber) api.HandleID {
	return api.HandleID{Epoch: api.Epoch(n.GetEpoch()), Counter: n.GetCounter()}
}

// after is the index of the first of all, which are in the order of their handles, whose handle is behind another.
func after[T any](all []T, behind api.HandleID, id func(T) api.HandleID) int {
	i, isThere := slices.BinarySearchFunc(all, behind, func(x T, b api.HandleID) int { return id(x).Compare(b) })
	if isThere {
		i++
	}
	return i
}

// lastOf is the last handle of which an answer has all, if it does not have all handles: both lists have
// mostOfSession up to it, or fewer.
func lastOf(open []handle.Handle, held []lock.Holding) (last api.HandleID, more bool) {
	if len(open) > mostOfSession {
		last, more = open[mostOfSession-1].ID, true
	}
	if len(held) > mostOfSession {
		if by := held[mostOfSession-1].Owner.Handle; !more || by.Compare(last) < 0 {
			last, more = by, true
		}
	}
	return last, more
}
