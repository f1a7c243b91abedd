@_spi(Baton) public import BatonKeys

/// Who sends a request, and what it may do.
@_spi(Baton) public struct WebCaller: Hashable, Sendable {
    /// The holder of the token that the request came with; nil for a request without a token where reading is free.
    public let holder: TokenHolder?

    /// Whether the caller may change anything.
    var mayAct: Bool { holder?.role == .client }
}
