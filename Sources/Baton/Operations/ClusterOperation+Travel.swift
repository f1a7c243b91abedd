@_spi(Baton) import BatonOperations

/// The operation and its output on their ways, with the limits of both and an error that names the type.
extension ClusterOperation {
    /// The bytes of the operation for the coordinator.
    ///
    /// - Throws: ``ClusterError`` `coding` or `tooLarge`.
    func argument() throws(ClusterError) -> [UInt8] {
        let bytes = try Self.coding("The operation of type \(Self.typeName.asShown) cannot be encoded") {
            try encoded()
        }
        // The coordinator does not read a longer argument.
        guard bytes.count <= Work.maximumArgumentLength else {
            throw ClusterError(
                .tooLarge,
                "The operation of type \(Self.typeName.asShown) has \(bytes.count) bytes encoded, more than the "
                    + "\(Work.maximumArgumentLength) that it may have. Keep large data in files, and let the operation name them."
            )
        }
        return bytes
    }

    /// The operation of a call.
    ///
    /// - Throws: ``ClusterError`` `coding`.
    static func operation(from argument: [UInt8]) throws(ClusterError) -> Self {
        try coding("The argument is no operation of type \(typeName.asShown)") { try decoded(from: argument) }
    }

    /// The bytes of an output for the coordinator, which the worker refuses beyond 1 MiB.
    ///
    /// - Throws: ``ClusterError`` `coding`.
    static func result(of output: Output) throws(ClusterError) -> [UInt8]? {
        try coding("The output of the operation of type \(typeName.asShown) cannot be encoded") {
            try encodeOutput(output)
        }
    }

    /// The output of a succeeded operation.
    ///
    /// - Parameter result: the bytes of the result; nil for none.
    /// - Throws: ``ClusterError`` `coding`.
    static func output(from result: [UInt8]?) throws(ClusterError) -> Output {
        try coding("The result is no output of an operation of type \(typeName.asShown)") {
            try decodeOutput(from: result)
        }
    }

    private static func coding<Value>(_ failure: String, _ body: () throws -> Value) throws(ClusterError) -> Value {
        do {
            return try body()
        } catch let error as ClusterError {
            throw error
        } catch {
            throw ClusterError(.coding, "\(failure). \(OperationCoding.reason(of: error))")
        }
    }
}
