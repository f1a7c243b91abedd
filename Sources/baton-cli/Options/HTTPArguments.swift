@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonWeb

/// The options of `coordinator` and `start` for the web interface.
struct HTTPArguments: ParsableArguments {
    /// Where the web interface listens.
    enum Address: Hashable {
        case off
        case at(host: String, port: Int)

        /// Reads a host and a port; an IPv6 address stands in brackets.
        static func read(_ text: String) throws(ValidationError) -> Address {
            if text == "off" { return .off }
            guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]),
                case let host = String(text[..<colon]), !host.contains(":") || host.hasPrefix("["),
                HostNames(boundTo: host, port: Int(port)).isNumerical
            else {
                throw ValidationError(
                    "Give a numerical address and a port, such as 127.0.0.1:7462 or [::1]:7462, or off."
                )
            }
            return .at(host: host, port: Int(port))
        }
    }

    /// Where the web interface listens if nothing is said.
    static let usualAddress = Address.at(host: "127.0.0.1", port: 7462)

    @Option(
        help: ArgumentHelp(
            "Address of the web interface, or off; port 0 picks a free one (default: 127.0.0.1:7462, if it is free).",
            valueName: "host:port"
        ),
        transform: { (text: String) in try Address.read(text) }
    )
    var http: Address?

    @Option(
        help: ArgumentHelp(
            """
            Another name by which the web interface is asked, such as that of a proxy, with the proxy's port unless that is a \
            standard one; can be given several times.
            """,
            valueName: "name[:port]"
        )
    )
    var httpHost: [String] = []

    @Option(
        help: ArgumentHelp("Certificate chain of the web interface, in PEM, for HTTPS.", valueName: "file"),
        completion: .file(extensions: ["pem", "crt"])
    )
    var httpCert: String?

    @Option(
        help: ArgumentHelp("Private key of the certificate, in PEM.", valueName: "file"),
        completion: .file(extensions: ["pem", "key"])
    )
    var httpKey: String?

    @Flag(help: "Let other hosts ask the web interface without TLS; whoever is on the way can read the tokens.")
    var httpInsecure = false

    func validate() throws {
        guard (httpCert == nil) == (httpKey == nil) else {
            throw ValidationError("--http-cert and --http-key belong together. Give both.")
        }
        if let name = httpHost.first(where: { !HostNames.isName($0) }) {
            throw ValidationError(
                "--http-host takes a name or a numerical address, such as baton.example or baton.example:8443, not \"\(name)\"."
            )
        }
        if http == .off, !httpHost.isEmpty || httpCert != nil || httpInsecure {
            throw ValidationError("--http off takes no other options of the web interface.")
        }
    }

    /// Where other hosts find the web interface, as far as the options say it.
    var urlForOthers: String? {
        guard case .at(let host, let port)? = http else { return nil }
        return HostNames(boundTo: host, port: port, names: httpHost).urlForOthers(isEncrypted: httpCert != nil)
    }

    /// The address to listen at.
    var address: Address { http ?? Self.usualAddress }
}
