@_spi(Baton) public import BatonOperations

@_spi(Baton) extension Refusal {
    private static let unreadBeginning = "The request cannot be read, and nothing of it was done."

    /// Refuses a request that cannot be read.
    public static func unread(_ error: WireError) -> Refusal { Refusal(.invalid, "\(unreadBeginning) \(error)") }

    /// Whether the coordinator could not read a request, perhaps because it is of an earlier version.
    ///
    /// Baton 0.1.0 has no code for this refusal, so that the beginning of the sentence tells.
    public var isOfUnreadRequest: Bool { code == .invalid && message.hasPrefix(Self.unreadBeginning) }
}
