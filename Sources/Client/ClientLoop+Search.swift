@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonZeroMQ

/// The way from the coordinator's address to a socket.
///
/// Each socket connects to an IP address. A name is resolved anew for each socket, on another thread, and all its addresses
/// are tried.
extension ClientLoop {
    /// The longest pause before the client reconnects.
    static let longestPause = Duration.seconds(1)

    /// How long a search may take: the resolver of names as long as the connection.
    var searchLimit: Duration { options.connectTimeout * 2 }

    /// Opens a socket, at once if the address has no name in it.
    func open() {
        guard places.list.isEmpty else { return choose() }
        guard let target = Endpoint(endpoint, for: .connecting) else { return failAll(.invalidEndpoint(endpoint)) }
        guard !target.isNumeric else { return connect(to: endpoint) }
        link = .searching(since: .now)
        // The finding of an earlier search serves as well.
        guard !isSearching else { return }
        let search = ServerSearch(for: target, resolver: options.resolver, patience: options.connectTimeout)
        do {
            try search.start(trying: passedOver?.places ?? []) { [mailbox] in mailbox.post(.found($0)) }
            isSearching = true
        } catch {
            failAll(.system("Cannot look for \(endpoint): \(error)"))
        }
    }

    func finishSearch(_ finding: ServerSearch.Finding) {
        isSearching = false
        guard case .searching = link else { return }
        if case .server(let place) = finding, passedOver?.places.contains(place) != true { return connect(to: place) }
        if let passedOver { return failAll(passedOver.error) }
        if hasBeenWelcomed { return loseConnection() }
        failAll(finding == .unknownHost ? .unknownHost(host, endpoint: endpoint) : .unreachable(endpoint))
    }

    func searchIsOverdue() {
        failAll(.unresolved(host, endpoint: endpoint, after: searchLimit))
    }

    /// Tries the name's next address after a server that is not the wanted coordinator; without one, fails all requests.
    func passOver(_ error: ClientError) {
        guard place != endpoint else { return failAll(error) }
        closeLink(until: nil)
        giveUpUncertain()
        passedOver = ((passedOver?.places ?? []).union([place]), passedOver?.error ?? error)
        if !pending.isEmpty { open() }
    }

    /// The pause before the next socket: doubled each time, and shortened at random by up to half, so that many clients do
    /// not come back at once.
    func nextPause() -> Duration {
        let doubled = options.reconnectPause * (1 << min(fruitlessSearches, 8))
        fruitlessSearches += 1
        return min(doubled, max(Self.longestPause, options.reconnectPause)) * Double.random(in: 0.5...1)
    }

    private var host: String { Endpoint(endpoint, for: .connecting)?.host ?? endpoint }
}
