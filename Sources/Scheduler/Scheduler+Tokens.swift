@_spi(Baton) public import BatonOperations

@_spi(Baton) extension Scheduler {
    /// The number of this start of the coordinator, part of every token.
    public var epoch: UInt32 { tokens.epoch }

    /// The random number of this start of the coordinator, part of every token: epochs repeat after a record is replaced.
    public var incarnation: Incarnation { tokens.incarnation }

    /// The full token of an attempt in the record.
    public func whole(_ token: RecordToken) -> AttemptToken { tokens.whole(token) }

    /// The full token of a node's sent or executing attempt.
    ///
    /// Inlined: a call from a mutating function would copy the whole scheduler.
    @inline(__always) func token(of node: OperationNode) -> AttemptToken? {
        guard let token = node.token else { return nil }
        return tokens.whole(token)
    }
}
