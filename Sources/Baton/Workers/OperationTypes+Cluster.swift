@_spi(Baton) public import BatonWorker

@_spi(Baton) extension OperationTypes {
    /// Adds a type of Swift operations.
    ///
    /// - Parameters:
    ///   - type: the type.
    ///   - logger: the logger of the worker's operations; lines of a call also name the operation, the attempt and the worker.
    ///   - cluster: makes the client that acts as the operation of a call, when the call first uses it. The client is closed when the
    ///     call has ended.
    /// - Throws: ``WorkerError`` `invalid` if the name of the type is not allowed or registered already, or if the set has
    ///   ``maximumCount`` types.
    public mutating func register(
        _ type: any ClusterOperation.Type,
        logger: OperationLogger = OperationLogger(),
        cluster: @escaping @Sendable (TypedCall) -> Cluster
    ) throws(WorkerError) {
        try register(type.typeName, Self.function(of: type, logger: logger, cluster: cluster))
    }

    private static func function<Work: ClusterOperation>(
        of type: Work.Type,
        logger: OperationLogger,
        cluster: @escaping @Sendable (TypedCall) -> Cluster
    ) -> Function {
        { call in
            do {
                return try await OperationCall(call, logger: logger, cluster: cluster).perform(type)
            } catch {
                throw ThrownError(error)
            }
        }
    }
}
