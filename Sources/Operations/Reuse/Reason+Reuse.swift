@_spi(Baton) extension Reason {
    private static let reusedPrefix = "It took the result of "
    private static let reusedSuffix = ", and did not run."

    /// Why an operation succeeded without an attempt.
    ///
    /// The sentence is the place of the address in the record: a field of its own would be a part of each operation's record.
    public static func reused(from source: OperationID) -> Reason {
        Reason(.reused, "\(reusedPrefix)\(source)\(reusedSuffix)")
    }

    /// The operation whose result was taken; nil for another reason.
    public var reusedFrom: OperationID? {
        guard code == .reused, message.hasPrefix(Self.reusedPrefix), message.hasSuffix(Self.reusedSuffix) else {
            return nil
        }
        let address = message.dropFirst(Self.reusedPrefix.count).dropLast(Self.reusedSuffix.count)
        guard case .operation(let source)? = Address(String(address)) else { return nil }
        return source
    }
}
