@_spi(Baton) import BatonOperations

/// The bytes of Swift operations and their outputs on their ways, with errors that name the type.
enum TypedCoding {
    /// The argument with which an operation travels to a worker.
    ///
    /// - Throws: ``ClusterError`` `coding` if the operation cannot be encoded, and `tooLarge` if it is longer than the coordinator reads.
    static func argument<Work: ClusterOperation>(of work: Work) throws(ClusterError) -> [UInt8] {
        let argument = try naming("The operation of type \(name(of: Work.self)) cannot be encoded") {
            try work.encoded()
        }
        let limit = BatonOperations.Work.maximumArgumentLength
        guard argument.count <= limit else {
            throw ClusterError(
                .tooLarge,
                "The operation of type \(name(of: Work.self)) has \(argument.count) bytes, more than the \(limit) that it may "
                    + "have. Keep large data in files, and let the operation name them."
            )
        }
        return argument
    }

    /// The operation that an argument stands for.
    ///
    /// - Throws: ``ClusterError`` `coding`.
    static func work<Work: ClusterOperation>(_ type: Work.Type, from argument: [UInt8]) throws(ClusterError) -> Work {
        try naming("The argument is no operation of type \(name(of: type))") { try type.decoded(from: argument) }
    }

    /// The result with which an output travels back; nil for none.
    ///
    /// The worker refuses a result of more than 1 MiB.
    ///
    /// - Throws: ``ClusterError`` `coding`.
    static func result<Work: ClusterOperation>(
        of type: Work.Type,
        _ output: Work.Output
    ) throws(ClusterError) -> [UInt8]? {
        try naming("The output of the operation of type \(name(of: type)) cannot be encoded") {
            try type.encodeOutput(output)
        }
    }

    /// The output that the result of a succeeded operation stands for.
    ///
    /// - Parameter result: the bytes; nil for an operation that left no result.
    /// - Throws: ``ClusterError`` `coding`.
    static func output<Work: ClusterOperation>(
        of type: Work.Type,
        from result: [UInt8]?
    ) throws(ClusterError) -> Work.Output {
        try naming("The result is no output of an operation of type \(name(of: type))") {
            try type.decodeOutput(from: result)
        }
    }

    private static func name<Work: ClusterOperation>(of type: Work.Type) -> String { "\"\(type.typeName.asShown)\"" }

    private static func naming<Value>(_ failure: String, _ body: () throws -> Value) throws(ClusterError) -> Value {
        do {
            return try body()
        } catch let error as ClusterError {
            throw error
        } catch {
            throw ClusterError(.coding, "\(failure). \(OperationCoding.reason(of: error))")
        }
    }
}
