#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Connects to several addresses, and finds the first one that accepts.
///
/// The addresses are tried in order. While an address is silent, the next one is tried beside it, as in RFC 8305: a host
/// whose first address leads nowhere is still reached soon.
struct ConnectionRace {
    private var untried: ArraySlice<ServerProbe.Address>
    private var running: [(descriptor: Int32, address: ServerProbe.Address)] = []
    private let deadline: ContinuousClock.Instant
    /// When the next address is tried, unless an earlier one fails before.
    private var nextStart = ContinuousClock.now
    private var failure: ServerSearch.Finding?

    /// How long an address may be silent before the next one is tried.
    private static let headStart = Duration.milliseconds(250)

    init(_ addresses: [ServerProbe.Address], until deadline: ContinuousClock.Instant) {
        untried = addresses[...]
        self.deadline = deadline
    }

    /// Runs to the end, and hangs up all connections.
    mutating func run() -> ServerSearch.Finding {
        defer { for attempt in running { close(attempt.descriptor) } }
        while ContinuousClock.now < deadline {
            if let address = untried.first, running.isEmpty || nextStart <= .now {
                untried = untried.dropFirst()
                nextStart = .now + Self.headStart
                start(address)
            } else if running.isEmpty {
                break
            } else if let winner = nextWinner() {
                return .server(winner.endpoint)
            }
        }
        if !running.isEmpty { note(.silent) }
        return failure ?? .silent
    }

    private mutating func start(_ address: ServerProbe.Address) {
        switch address.startConnecting() {
        case .success(let descriptor): running.append((descriptor, address))
        case .failure(let reason): note(reason.finding)
        }
    }

    /// Waits for the next event of a running attempt, and removes failed attempts.
    ///
    /// - Returns: the address that has accepted a connection, if any.
    private mutating func nextWinner() -> ServerProbe.Address? {
        var items = running.map { pollfd(fd: $0.descriptor, events: Int16(POLLOUT), revents: 0) }
        let end = untried.isEmpty ? deadline : min(deadline, nextStart)
        guard poll(&items, nfds_t(items.count), max(Duration.zero, end - .now).milliseconds) > 0 else { return nil }
        for (item, attempt) in zip(items, running) where item.revents != 0 {
            guard let reason = ServerProbe.Address.result(of: item.fd) else { return attempt.address }
            note(reason.finding)
            close(item.fd)
            running.removeAll { $0.descriptor == item.fd }
        }
        return nil
    }

    /// Keeps the failure that says most: a refusal comes from the host itself.
    private mutating func note(_ other: ServerSearch.Finding) {
        switch (failure, other) {
        case (nil, _), (_, .refused), (.failed, .silent): failure = other
        default: break
        }
    }
}

extension ServerProbe.ConnectFailure {
    /// The failure as the finding of a search.
    fileprivate var finding: ServerSearch.Finding {
        switch self {
        // The host's neighbours have waited for its answer in vain.
        case .silent, .system(ETIMEDOUT), .system(EHOSTUNREACH), .system(EHOSTDOWN): .silent
        case .system(ECONNREFUSED): .refused
        case .system(let code): .failed(strerror(code).map { String(cString: $0) } ?? "error \(code)")
        }
    }
}
