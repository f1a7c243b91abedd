@_spi(Baton) import BatonOperations

/// The bytes of operations written in Swift, as requests carry them, with errors that say whose they are.
enum TypedCoding {
    /// The argument with which an operation travels to a worker.
    ///
    /// - Throws: ``ClusterError`` `coding` if the operation cannot be encoded, and `tooLarge` if it is longer than an argument may
    ///   be; the coordinator would not read a longer one.
    static func argument<Work: ClusterOperation>(of work: Work) throws(ClusterError) -> [UInt8] {
        let argument: [UInt8]
        do {
            argument = try work.encoded()
        } catch {
            throw ClusterError(.coding, "The operation of type \"\(Work.typeName.asShown)\" cannot be encoded: \(error)")
        }
        let limit = BatonOperations.Work.maximumArgumentLength
        guard argument.count <= limit else {
            throw ClusterError(
                .tooLarge,
                "The operation of type \"\(Work.typeName.asShown)\" has \(argument.count) bytes, more than the \(limit) that it may "
                    + "have. Keep large data in files, and let the operation name them."
            )
        }
        return argument
    }

    /// The operation that an argument stands for.
    ///
    /// - Throws: ``ClusterError`` `coding`.
    static func work<Work: ClusterOperation>(_ type: Work.Type, from argument: [UInt8]) throws(ClusterError) -> Work {
        do {
            return try Work.decoded(from: argument)
        } catch {
            throw ClusterError(.coding, "The argument is no operation of type \"\(Work.typeName.asShown)\": \(error)")
        }
    }

    /// The output that a result stands for; nil bytes for an operation that left no result.
    ///
    /// - Throws: ``ClusterError`` `coding`.
    static func output<Work: ClusterOperation>(of type: Work.Type, from bytes: [UInt8]?) throws(ClusterError) -> Work.Output {
        do {
            return try Work.decodeOutput(from: bytes)
        } catch {
            throw ClusterError(.coding, "The result is no output of type \"\(Work.typeName.asShown)\": \(error)")
        }
    }
}
