@_spi(Baton) public import BatonWorker

@_spi(Baton) extension OperationTypes {
    /// Adds a type of operations of the library.
    ///
    /// - Parameter cluster: makes the client that acts as the operation of a call.
    /// - Throws: ``WorkerError`` `invalid` if the name of the type is not allowed, or is registered already.
    public mutating func register(
        _ type: any ClusterOperation.Type,
        cluster: @escaping @Sendable (TypedCall) -> Cluster
    ) throws(WorkerError) {
        try register(type.typeName, Self.function(of: type))
    }

    private static func function<Work: ClusterOperation>(of type: Work.Type) -> Function {
        { call in
            let operation = try OperationCoding.decode(type, from: call.argument)
            return try OperationCoding.encode(try await operation.run())
        }
    }
}
