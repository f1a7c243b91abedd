@_spi(Baton) public import BatonKeys

/// Decides which requests are answered, before anything else looks at them.
///
/// | rule | against |
/// | --- | --- |
/// | `Host` is a name of the server | a page whose name leads to this server (DNS rebinding) |
/// | an acting request has no foreign `Origin` and no foreign `Sec-Fetch-Site` | a page that makes its visitor's browser act |
/// | an acting request has a token in a header | the same, and everybody without one: a browser never adds it by itself |
/// | an acting request has a body of JSON | forms, which browsers send anywhere |
/// | a limited number of acting requests in a second | a client that keeps the coordinator from its work |
@_spi(Baton) public struct RequestGuard: Sendable {
    /// The most acting requests in a second.
    private static let mostActions = 100

    private let names: HostNames
    private let isReadingFree: Bool
    private let tokens: TokenRegistry
    private let rate: ActionRate

    /// Makes a guard.
    ///
    /// - Parameters:
    ///   - names: the names of the server.
    ///   - tokens: the tokens that are known.
    ///   - isInsecure: whether the coordinator has no keys; then whoever is on its host may read.
    public init(_ names: HostNames, _ tokens: TokenRegistry, isInsecure: Bool) {
        self.init(names, tokens, isInsecure: isInsecure, ActionRate(mostOfSecond: Self.mostActions))
    }

    init(_ names: HostNames, _ tokens: TokenRegistry, isInsecure: Bool, _ rate: ActionRate) {
        self.names = names
        self.tokens = tokens
        isReadingFree = isInsecure && names.isLoopback
        self.rate = rate
    }

    /// Why a request is refused for its `Host` alone; nil if its name is known.
    func objection(toHostOf head: HTTPRequestHead) -> WebRefusal? {
        names.failure(of: head).map { WebRefusal($0.status, $0.status == 400 ? "usage" : "misdirected", $0.message) }
    }

    /// Who sends a request that reads.
    func reader(of head: HTTPRequestHead) throws(WebRefusal) -> WebCaller {
        if head.headers.values(of: "Authorization").isEmpty, isReadingFree { return WebCaller(holder: nil) }
        return WebCaller(holder: try holder(of: head))
    }

    /// Who sends a request that acts.
    ///
    /// - Throws: the refusal of a request from a foreign page, without a client's token, without a body of JSON, or beyond the
    ///   limit.
    func actor(of head: HTTPRequestHead) throws(WebRefusal) -> WebCaller {
        guard isOwnOrigin(of: head) else {
            throw WebRefusal(403, "foreignOrigin", "A page of another origin asks, and may not change anything here.")
        }
        let caller = WebCaller(holder: try holder(of: head))
        guard caller.mayAct else {
            let name = caller.holder?.key.map { " \($0.name)" } ?? ""
            throw WebRefusal(403, "notAllowed", "The token\(name) is a viewer's, and may not change anything.")
        }
        guard Self.isJSON(head) else {
            throw WebRefusal(
                415,
                "mediaType",
                "The request has to have a body of JSON. Send the header \"Content-Type: application/json\"."
            )
        }
        guard rate.take() else {
            throw WebRefusal(
                429,
                "tooMany",
                "More than \(Self.mostActions) requests a second want to change something. Repeat this one in a second.",
                headers: ["Retry-After": "1"]
            )
        }
        return caller
    }

    /// Whether a caller's token is still admitted.
    func admits(_ caller: WebCaller) -> Bool { caller.holder.map { tokens.admits($0) } ?? true }

    private func holder(of head: HTTPRequestHead) throws(WebRefusal) -> TokenHolder {
        let challenge: HTTPHeaders = ["WWW-Authenticate": "Bearer realm=\"baton\""]
        guard let value = head.headers.only("Authorization") else {
            throw WebRefusal(
                401,
                "noToken",
                "The request needs a token. Send \"Authorization: Bearer TOKEN\" with the content of the file http-token in the "
                    + "coordinator's state directory, or with a token of \"baton authorize --http\".",
                headers: challenge
            )
        }
        let words = value.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer", let token = BearerToken(words[1]),
            let holder = tokens.holder(of: token)
        else {
            throw WebRefusal(401, "badToken", "The token is malformed, unknown or revoked.", headers: challenge)
        }
        return holder
    }

    /// Whether a request comes from a page of this server or of a proxy in front of it, or from no page.
    private func isOwnOrigin(of head: HTTPRequestHead) -> Bool {
        let sites = head.headers.values(of: "Sec-Fetch-Site")
        guard sites.allSatisfy({ $0 == "same-origin" || $0 == "none" }) else { return false }
        let origins = head.headers.values(of: "Origin")
        guard !origins.isEmpty else { return true }
        // The name of the host has been looked at before.
        let own = (head.isEncrypted ? "https://" : "http://") + (head.headers.only("Host") ?? "")
        return origins.allSatisfy { origin in
            origin.lowercased() == own.lowercased() || names.isOrigin(origin, isEncrypted: head.isEncrypted)
        }
    }

    private static func isJSON(_ head: HTTPRequestHead) -> Bool {
        guard let value = head.headers.only("Content-Type") else { return false }
        let type = value.split(separator: ";", omittingEmptySubsequences: false).first ?? ""
        return type.lowercased().filter { $0 != " " && $0 != "\t" } == "application/json"
    }
}
