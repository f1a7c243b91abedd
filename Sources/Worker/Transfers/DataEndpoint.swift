@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonZeroMQ

/// The address at which other workers read the files of a worker, as written by the user: `tcp://HOST:PORT`.
///
/// Other workers connect to the same address: the host is an address of this host, at which alone the worker listens, or a name of it
/// that the other hosts know. A name may stand for another address there than here, so that the worker then listens at all addresses.
struct DataEndpoint: Hashable, Sendable {
    private let endpoint: Endpoint

    /// Takes an address apart; nil for one to which ``objection(to:)`` objects.
    init?(_ text: String) {
        guard Self.objection(to: text) == nil, let endpoint = Endpoint(text, for: .listening) else { return nil }
        self.endpoint = endpoint
    }

    /// The objection to a text, in a sentence or two; nil for an address that other workers can use.
    static func objection(to text: String) -> String? {
        if let advice = Endpoint.advice(on: text, for: .listening) {
            return "\"\(text.asShown)\" is not an address at which other workers can read files: \(advice)"
        }
        guard Endpoint(text, for: .listening)?.isWildcard == true else { return nil }
        return
            "Other workers cannot connect to \"\(text.asShown)\", which stands for all addresses of this host. Name one of its "
            + "addresses, or a name that the other hosts know, such as tcp://10.0.0.2:7463."
    }

    /// Where to listen.
    var listening: String { endpoint.isNumeric ? endpoint.text : "tcp://*:\(endpoint.port)" }

    /// The address to which other workers connect.
    ///
    /// - Parameter bound: where the socket listens, with the port that the system chose; nil if that is no endpoint.
    func announced(boundTo bound: String) -> String? {
        guard let port = Endpoint(bound, for: .listening)?.port else { return nil }
        return "tcp://" + (endpoint.host.contains(":") ? "[\(endpoint.host)]" : endpoint.host) + ":" + port
    }
}
