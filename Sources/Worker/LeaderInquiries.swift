@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// The connections over which a worker with several addresses asks who leads.
///
/// They are separate from the worker's own connection: a worker hears of a new leader while its own connection is silent. Only the
/// worker's own thread uses them.
final class LeaderInquiries {
    /// What is learnt of a place.
    enum News: Hashable {
        /// The coordinator there says whether it leads.
        case leadership(Leadership)
        /// The place is connected, and answers no inquiries.
        case silent
        /// The connection has ended.
        case lost
    }

    /// An address, and the connection to it.
    private struct Place {
        let endpoint: String
        var connection: CoordinatorConnection?
        /// Whether a search for the address is under way.
        var isSearching = false
        /// When to connect again; nil for at once.
        var restsUntil: ContinuousClock.Instant?
        /// The time of the latest inquiry; nil before the first of the connection.
        var askedAt: ContinuousClock.Instant?
        /// Whether the latest inquiry was answered.
        var isAnswered = false
        /// Whether an inquiry of the connection was answered.
        var hasAnswered = false
        /// Whether it was told that the place answers no inquiries.
        var isSilent = false
    }

    /// The end of a search.
    private struct Found: Sendable {
        var place: Int
        var finding: ServerSearch.Finding
    }

    /// The time between two inquiries.
    private static let interval = Duration.seconds(10)
    /// The pause before another connection; ``interval`` after one that did not get past its handshake.
    private static let pause = Duration.seconds(1)

    /// The highest rank that the worker knows of, which coordinators are told.
    var known: LeaderRank?

    private let version: String
    private let security: SocketSecurity
    private let context: Context
    private let poller: Poller
    private let resolver: NameResolver
    private let patience: WorkerPatience
    private let findings: PolledMailbox<Found>
    private let bell: Poller.Source
    private var places: [Place]
    private var news: [(place: Int, news: News)] = []

    /// Prepares the connections, which ``receive()`` opens.
    ///
    /// - Parameters:
    ///   - endpoints: the addresses.
    ///   - version: the worker's build.
    ///   - known: the highest rank that the worker knows of.
    ///   - security: the protection of the connections, with the key of the worker.
    ///   - context: the context of the worker's sockets.
    ///   - poller: the poller of the worker's own thread.
    ///   - resolver: the resolver of the hosts' names.
    ///   - patience: how long connections and first answers may take.
    /// - Throws: `ZeroMQError` if no file descriptor is left.
    init(
        _ endpoints: EndpointList,
        version: String,
        known: LeaderRank?,
        security: SocketSecurity,
        context: Context,
        poller: Poller,
        resolver: NameResolver,
        patience: WorkerPatience
    ) throws(ZeroMQError) {
        let findings = try PolledMailbox<Found>()
        self.findings = findings
        bell = poller.add(findings.bell)
        places = endpoints.endpoints.map { Place(endpoint: $0) }
        self.version = version
        self.known = known
        self.security = security
        self.context = context
        self.poller = poller
        self.resolver = resolver
        self.patience = patience
    }

    /// The time until ``receive()`` has something to do without a message; nil for never.
    var timeUntilDue: Duration? {
        var due: ContinuousClock.Instant?
        for place in places { due = .least(due, dueTime(of: place)) }
        return due.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
    }

    private func dueTime(of place: Place) -> ContinuousClock.Instant? {
        guard place.connection != nil else { return place.isSearching ? nil : place.restsUntil ?? .now }
        guard let askedAt = place.askedAt else { return nil }
        return askedAt + (place.hasAnswered || place.isSilent ? Self.interval : patience.inquiry)
    }

    /// Takes in what the last poll has found, and does what is due.
    ///
    /// - Returns: the news, oldest first.
    func receive() -> [(place: Int, news: News)] {
        for found in findings.takeAll() {
            places[found.place].isSearching = false
            if case .server(let endpoint) = found.finding {
                connect(found.place, to: endpoint)
            } else {
                places[found.place].restsUntil = .now + Self.pause
            }
        }
        for place in places.indices {
            takeMessages(of: place)
            takeEvents(of: place)
            askIfDue(place)
            openIfNeeded(place)
        }
        defer { news = [] }
        return news
    }

    /// Ends all connections.
    func close() {
        for place in places.indices { closeConnection(of: place) }
        poller.remove(bell)
    }

    // MARK: - Connections

    private func openIfNeeded(_ place: Int) {
        guard places[place].connection == nil, !places[place].isSearching,
            places[place].restsUntil.map({ $0 <= .now }) ?? true,
            let target = Endpoint(places[place].endpoint, for: .connecting)
        else { return }
        guard !target.isNumeric else { return connect(place, to: places[place].endpoint) }
        let search = ServerSearch(for: target, resolver: resolver, patience: patience.connection)
        do throws(ThreadFailure) {
            try search.start { [findings] in findings.post(Found(place: place, finding: $0)) }
            places[place].isSearching = true
        } catch {
            // The worker's own connection tells the log of a system without room.
            places[place].restsUntil = .now + Self.pause
        }
    }

    private func connect(_ place: Int, to endpoint: String) {
        do throws(ZeroMQError) {
            places[place].connection = try CoordinatorConnection(
                to: endpoint,
                security: security,
                in: context,
                poller: poller
            )
            places[place].restsUntil = nil
        } catch {
            places[place].restsUntil = .now + Self.pause
        }
    }

    private func closeConnection(of place: Int) {
        places[place].connection?.close()
        places[place] = Place(endpoint: places[place].endpoint)
    }

    /// Gives up a connection, and opens another one after a pause.
    private func lose(_ place: Int) {
        let wasOpen = places[place].askedAt != nil
        closeConnection(of: place)
        places[place].restsUntil = .now + (wasOpen ? Self.pause : Self.interval)
        if wasOpen { news.append((place: place, news: .lost)) }
    }

    // MARK: - What comes in

    private func takeMessages(of place: Int) {
        guard let connection = places[place].connection, connection.hasMessages else { return }
        do throws(ZeroMQError) {
            while let message = try connection.socket.receive() {
                guard let decoded = try? message.withUnsafeBytes({ try CoordinatorMessage(decoding: $0) }),
                    case .leadership(let leadership) = decoded
                else { continue }
                places[place].isAnswered = true
                places[place].hasAnswered = true
                places[place].isSilent = false
                news.append((place: place, news: .leadership(leadership)))
            }
        } catch {
            lose(place)
        }
    }

    private func takeEvents(of place: Int) {
        guard let connection = places[place].connection, connection.hasEvents else { return }
        do throws(ZeroMQError) {
            while let event = try connection.monitor.next() {
                note(event, of: place)
                guard places[place].connection != nil else { return }
            }
        } catch {
            lose(place)
        }
    }

    private func note(_ event: SocketEvent, of place: Int) {
        switch event.kind {
        case .handshakeSucceeded: ask(place)
        case .disconnected, .handshakeFailed: lose(place)
        // The process that accepted the search's connection is gone; an IP address stays the same.
        case .connectRetried where places[place].connection?.place != places[place].endpoint:
            closeConnection(of: place)
            places[place].restsUntil = .now + Self.pause
        case .connected, .connectDelayed, .connectRetried, .accepted, .acceptFailed, .closed, .monitorStopped: break
        }
    }

    // MARK: - What goes out

    private func askIfDue(_ place: Int) {
        guard let askedAt = places[place].askedAt else { return }
        let age = ContinuousClock.now - askedAt
        if age >= patience.inquiry, !places[place].hasAnswered, !places[place].isSilent {
            places[place].isSilent = true
            news.append((place: place, news: .silent))
        }
        guard age >= Self.interval else { return }
        // The other end has answered before: its host is gone, or the way to it.
        if places[place].hasAnswered, !places[place].isAnswered { return lose(place) }
        ask(place)
    }

    private func ask(_ place: Int) {
        guard let connection = places[place].connection else { return }
        let inquiry = WorkerMessage.inquire(LeaderInquiry(version: version, known: known))
        places[place].askedAt = .now
        places[place].isAnswered = false
        do throws(ZeroMQError) {
            _ = try connection.socket.send(inquiry.encoded())
        } catch {
            lose(place)
        }
    }
}
