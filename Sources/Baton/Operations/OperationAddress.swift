@_spi(Baton) import BatonOperations

/// The address of an operation in the cluster: `12/0`, as on the command line.
///
/// ```swift
/// let sepia = try await cluster.operation(OperationAddress(job: 12, index: 3))
/// print(sepia.operationState)
/// ```
///
/// The command line also takes the name of an operation, `12/sepia`. A program finds an operation by its name with
/// ``Job/operation(named:)``.
public struct OperationAddress: Hashable, Sendable, LosslessStringConvertible {
    /// The number of the job, from 1.
    public let job: Int
    /// The position of the operation in its job, from 0.
    public let index: Int

    /// Names an operation; whether it exists shows when it is used.
    public init(job: Int, index: Int) {
        self.job = job
        self.index = index
    }

    /// Reads an address such as `12/3`.
    ///
    /// - Returns: nil for a text of another form, and for the address of an operation by its name, such as `12/sepia`.
    public init?(_ description: String) {
        guard case .operation(let id)? = Address(description) else { return nil }
        self.init(id)
    }

    init(_ id: OperationID) {
        self.init(job: Int(id.job.rawValue), index: Int(id.index))
    }

    /// The address as on the command line.
    public var description: String { "\(job)/\(index)" }

    /// The address as messages have it; nil for numbers that no operation can have.
    var id: OperationID? {
        guard let job = UInt32(exactly: job), job > 0, let index = UInt32(exactly: index) else { return nil }
        return OperationID(job: JobNumber(job), index: index)
    }
}

extension OperationAddress: Comparable {
    /// Orders addresses by the job and the position: the order of submission.
    public static func < (left: OperationAddress, right: OperationAddress) -> Bool {
        (left.job, left.index) < (right.job, right.index)
    }
}

extension OperationAddress: Codable {
    /// Reads the text of an address, such as `"12/3"`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let address = OperationAddress(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "\"\(text)\" is no address of an operation, which has the form 12/3."
            )
        }
        self = address
    }

    /// Writes the address as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
