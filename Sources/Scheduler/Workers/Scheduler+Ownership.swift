@_spi(Baton) public import BatonOperations

/// What belongs to whom: names, identities and sessions to keys, attempts to sessions.
///
/// Workers are not trusted: a message counts only for what its sender has. Without keys, nobody can tell workers apart, and every
/// worker may speak for each session whose number it knows.
@_spi(Baton) extension Scheduler {
    /// Whether a message that came with a key may speak for a session: the session's worker has joined with this key, or no worker
    /// has the session.
    ///
    /// - Parameter key: the number of the key; nil for a coordinator without keys.
    public mutating func mayUse(_ session: SessionID, withKey key: UInt32?) -> Bool {
        guard let worker = workers.index(ofSession: session) else { return true }
        return !Self.areDifferent(workers[worker].introduction.keyNumber, key)
    }

    /// The relation of a session to an attempt.
    public enum Possession: Sendable {
        /// The attempt was sent to the session, and has not ended.
        case held
        /// The session claims the attempt after a restart, and the claim is not decided.
        case claimed
        /// The attempt is not the session's.
        case none
    }

    /// Returns the relation of a session to an attempt of an operation; the run of a completion hook is no attempt.
    public mutating func possession(
        of token: AttemptToken,
        _ operation: OperationID,
        in session: SessionID
    ) -> Possession {
        guard let worker = workers.index(ofSession: session) else { return .none }
        if let node = node(of: token, at: worker) { return graph.id(at: node) == operation ? .held : .none }
        guard let claim = reconciliation.earlyClaims[operation] else { return .none }
        return claim.token == token && claim.session == session ? .claimed : .none
    }

    /// Whether a session has the run of an operation's completion hook.
    public func hasHook(_ token: AttemptToken, of operation: OperationID, in session: SessionID) -> Bool {
        guard let worker = workers.index(ofSession: session), let place = workers[worker].hooks[token] else {
            return false
        }
        return hooks.entries[place].hook.operation == operation
    }

    /// Whether both keys are known, and not the same.
    ///
    /// A worker's key is unknown if the worker joined a coordinator without keys, or in an older record.
    static func areDifferent(_ key: UInt32?, _ other: UInt32?) -> Bool {
        guard let key, let other else { return false }
        return key != other
    }

    /// The objection to a hello that would take the name or the identity of a worker with another key; nil for none.
    ///
    /// Both belong to the worker's key as long as the worker is on the list, lost or not, or may return after a restart. An
    /// administrator gives a name free: by the worker's stop, by its removal from the list, or by the revocation of its key. With
    /// the identity of another worker, the newcomer would get the keys of that worker's operations.
    func objectionToKey(of introduction: WorkerIntroduction) -> Effect? {
        // The coordinator's own worker has its name whoever had it before.
        guard let key = introduction.keyNumber, !introduction.isKeeper else { return nil }
        let (name, session) = (introduction.name, introduction.session)
        if let place = workers.index(ofName: name) {
            let owner = workers[place].introduction
            if Self.areDifferent(owner.keyNumber, key) { return .otherKey(session, name: name, owner: owner) }
        } else if let record = workers.absentWorkers.owner(of: name, at: now),
            Self.areDifferent(record.keyNumber, key)
        {
            let owner = WorkerIntroduction(name: name, session: SessionID(rawValue: 0), slots: 0, id: record.id)
            return .otherKey(session, name: name, owner: owner)
        }
        guard Self.areDifferent(workers.key(ofIdentity: introduction.id), key) else { return nil }
        return .otherKey(session, name: name, owner: nil)
    }
}
