@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// The way from several addresses to the coordinator that leads.
///
/// All addresses are connected and greeted at once. Requests go to one place only: at first the place whose coordinator is the first to say
/// that it leads, and later a place with a leader of a higher rank. The socket of that place becomes the socket of the loop. The other
/// sockets stay open, so that the loop hears of another leader.
extension ClientLoop {
    /// Looks for the place whose coordinator leads, once no place is the present one.
    ///
    /// Connected coordinators are asked again, since another coordinator may lead by now.
    func choose() {
        link = .choosing
        let now = ContinuousClock.now
        let isFirst = !hasBeenWelcomed
        for index in places.list.indices {
            places.list[index].error = nil
            switch places.list[index].stage {
            // The place that was lost just now gets a pause.
            case .down(let next): if next <= now || isFirst || next > now + Self.longestPause { openPlace(index) }
            case .searching, .connecting: break
            case .greeting, .answered: greet(index)
            }
            // No thread or socket was left, and the requests have failed.
            guard case .choosing = link else { return }
        }
    }

    /// Closes the sockets of all places.
    func closePlaces() {
        for index in places.list.indices { close(index, until: .now) }
    }

    // MARK: - Sockets

    private func openPlace(_ index: Int) {
        let place = places.list[index]
        guard let target = Endpoint(place.endpoint, for: .connecting) else {
            return failAll(.invalidEndpoint(place.endpoint))
        }
        guard !target.isNumeric else { return connect(index, to: place.endpoint) }
        places.list[index].stage = .searching(since: .now)
        // The finding of an earlier search serves as well.
        guard !place.isSearching else { return }
        let search = ServerSearch(for: target, resolver: options.resolver, patience: options.connectTimeout)
        do {
            try search.start(trying: place.passedOver?.addresses ?? []) { [mailbox] in
                mailbox.post(.foundPlace(index, $0))
            }
            places.list[index].isSearching = true
        } catch {
            failAll(.system("Cannot look for \(place.endpoint): \(error)"))
        }
    }

    func finishSearch(_ finding: ServerSearch.Finding, for index: Int) {
        places.list[index].isSearching = false
        guard case .searching = places.list[index].stage else { return }
        let (endpoint, passedOver) = (places.list[index].endpoint, places.list[index].passedOver)
        if case .server(let address) = finding, passedOver?.addresses.contains(address) != true {
            return connect(index, to: address)
        }
        if let passedOver { return giveUp(index, passedOver.error) }
        let host = Endpoint(endpoint, for: .connecting)?.host ?? endpoint
        giveUp(index, finding == .unknownHost ? .unknownHost(host, endpoint: endpoint) : .unreachable(endpoint))
    }

    /// Connects a place's socket and says hello, without waiting for the answer.
    private func connect(_ index: Int, to address: String) {
        do throws(ZeroMQError) {
            let wire = try ClientWire(to: address, in: usableContext(), poller: poller, options: options)
            places.list[index].wire = wire
            places.list[index].address = address
            places.list[index].diagnosis = HandshakeDiagnosis()
            places.list[index].farPatience = .zero
            places.list[index].stage = .connecting(since: .now)
            try wire.sayHello(options)
        } catch {
            failAll(.system(error.description))
        }
    }

    /// Says hello again at a place that has a socket.
    private func greet(_ index: Int) {
        places.noteHello(at: index, now: .now)
        try? places.list[index].wire?.sayHello(options)
    }

    private func close(_ index: Int, until next: ContinuousClock.Instant) {
        places.list[index].wire?.close(poller: poller)
        places.noteClosed(index, until: next)
    }

    // MARK: - What arrives

    /// Reads the messages and events of all places except the present place.
    func readPlaces() throws(ZeroMQError) {
        for index in places.list.indices {
            while let message = try places.list[index].wire?.receive() { receive(message, at: index) }
            while let event = try places.list[index].wire?.nextEvent() {
                if event == .disconnected {
                    while let message = try places.list[index].wire?.receive() { receive(message, at: index) }
                }
                connectionChanged(event, at: index)
            }
        }
    }

    private func receive(_ message: borrowing Message, at index: Int) {
        switch decode(message) {
        case .success(.welcome(_, _, _, let rank)):
            places.noteLeading(rank, at: index, now: .now)
            hasBeenWelcomed = true
            judge()
        case .success(.leadership(let leadership)):
            // It is a coordinator, and worth waiting for.
            hasBeenWelcomed = true
            if !leadership.isLeading {
                places.noteStandby(at: index, now: .now)
                judge()
            } else if places.list[index].standsBy, case .answered = places.list[index].stage {
                greet(index)
            }
        case .success(.refused(let refusal)): passOver(index, .refused(refusal))
        // The answer to a request that somebody else gets by now.
        case .success(.reading), .success(.reply): break
        case .failure: passOver(index, .notCoordinator(places.list[index].endpoint))
        }
    }

    private func connectionChanged(_ event: SocketEvent.Kind, at index: Int) {
        // The socket was handed over or closed by what arrived before.
        guard places.list[index].wire != nil else {
            if places.present == index { connectionChanged(event) }
            return
        }
        let endpoint = places.list[index].endpoint
        let hadAgreed = places.list[index].hasAgreed
        let isNews = places.list[index].diagnosis.note(event)
        switch (event, places.list[index].stage) {
        case (.connected, .connecting): places.list[index].stage = .greeting(since: .now)
        case (.handshakeSucceeded, let stage):
            if options.security != .none { hasBeenWelcomed = true }
            if case .greeting = stage { places.list[index].stage = .greeting(since: .now) }
        // libzmq tries again after a broken handshake.
        case (.connectDelayed, .greeting): places.list[index].stage = .connecting(since: .now)
        case (.connectRetried, .connecting): giveUp(index, .unreachable(endpoint))
        case (.disconnected, _) where hadAgreed: passOver(index, .notCoordinator(endpoint))
        case (.handshakeFailed, _), (.disconnected, _):
            guard isNews else { return }
            let found = KeyObstacle(
                places.list[index].diagnosis.conclusion,
                of: places.list[index].address,
                with: options.security
            )
            passOver(index, found.map { .notAdmitted($0, endpoint: endpoint) } ?? .notCoordinator(endpoint))
        default: break
        }
    }

    // MARK: - Failures

    /// Tries the next address of a place's name after a server that is of no use; without one, gives the place up for a while.
    private func passOver(_ index: Int, _ error: ClientError) {
        let place = places.list[index]
        guard place.address != place.endpoint else { return giveUp(index, error) }
        close(index, until: .now)
        let earlier = place.passedOver
        places.list[index].passedOver = ((earlier?.addresses ?? []).union([place.address]), earlier?.error ?? error)
        openPlace(index)
    }

    /// Closes a place's socket, and opens another one after a pause.
    private func giveUp(_ index: Int, _ error: ClientError) {
        let isChosen = if case .welcomed = link { true } else { false }
        close(index, until: .now + (isChosen ? ClientPlaces.pause : nextPause()))
        places.list[index].error = error
        places.list[index].passedOver = nil
        judge()
    }

    // MARK: - The choice

    /// Goes to the place of the highest rank; or waits, or fails all requests, once every place has said that it is of no use.
    private func judge() {
        if let best = places.best {
            if best != places.present { move(to: best) }
            return
        }
        guard case .choosing = link, !pending.isEmpty, places.isSettled else { return }
        if !places.standbys.isEmpty {
            noteStandby()
            return failIfRefused()
        }
        guard places.superseded.isEmpty else { return noteAbsence() }
        let errors = places.list.compactMap(\.error)
        // A coordinator that is away may come back; one that refuses the client is there. A client that no coordinator has let in so far
        // need not wait for others.
        let refusals = errors.count { [.keyRefused, .refused].contains($0.code) }
        guard hasBeenWelcomed, refusals == 0 || places.haveAnswered && refusals < errors.count else {
            return failAll(.allFailed(errors, at: places.list.map(\.endpoint), of: endpoint))
        }
        noteAbsence()
    }

    /// Sends all requests to another place, and no longer to the present one, if any.
    private func move(to index: Int) {
        if places.present != nil {
            closeLink(until: nil)
            giveUpUncertain()
        }
        let place = places.list[index]
        guard let wire = places.choose(index) else { return }
        adopt(wire, of: place)
    }

    // MARK: - Coordinators that stand by

    /// Acts on what the coordinator says that the requests were sent to.
    func heard(_ leadership: Leadership) {
        // The present one of several places leads no longer.
        guard places.list.isEmpty else {
            if !leadership.isLeading { loseConnection() }
            return
        }
        hasBeenWelcomed = true
        if leadership.isLeading {
            guard case .standingBy = link else { return }
            link = .greeting(since: .now)
            probe(at: .now)
            return sendAll()
        }
        forgetSendingToStandby()
        if let leader = leadership.leader, leader != endpoint {
            return passOver(.standby(endpoint, leader: leader))
        }
        link = .standingBy(since: .now)
        noteStandby()
    }

    /// Fails all requests once a coordinator has refused the client for a while, in which no other one has come to lead: it leads itself.
    private func failIfRefused() {
        guard let awaySince, awaySince + options.refusalPatience <= .now else { return }
        let refusal = places.list.compactMap(\.error).first { [.keyRefused, .refused].contains($0.code) }
        if let refusal { failAll(refusal) }
    }

    /// Tells once that the coordinators stand by, and counts their time as that of an absence.
    private func noteStandby() {
        guard !pending.isEmpty else { return }
        if awaySince == nil { awaySince = .now }
        guard !hasToldStandby else { return }
        hasToldStandby = true
        tell(.standingBy)
    }
}

/// The timers of several places; they run while a request is outstanding.
extension ClientLoop {
    /// When the timers of the places are due.
    var placeTimers: [ContinuousClock.Instant] {
        places.list.indices.filter { $0 != places.present }.map { index -> ContinuousClock.Instant in
            switch places.list[index].stage {
            case .down(let next): next
            case .searching(let since): since + searchLimit
            case .connecting(let since): since + options.connectTimeout
            case .greeting(let since): since + patience(at: index)
            case .answered(let since): since + ClientPlaces.pause
            }
        }
    }

    func checkPlaceTimers(at now: ContinuousClock.Instant) {
        for index in places.list.indices where index != places.present {
            let place = places.list[index]
            switch place.stage {
            case .down(let next): if next <= now { openPlace(index) }
            case .searching(let since):
                guard since + searchLimit <= now else { continue }
                let host = Endpoint(place.endpoint, for: .connecting)?.host ?? place.endpoint
                giveUp(index, .unresolved(host, endpoint: place.endpoint, after: searchLimit))
            case .connecting(let since):
                if since + options.connectTimeout <= now { giveUp(index, .unreachable(place.endpoint)) }
            case .greeting(let since):
                guard since + patience(at: index) <= now else { continue }
                waitLonger(at: index, since: since, now: now)
            case .answered(let since):
                if since + ClientPlaces.pause <= now { greet(index) }
            }
            // All requests have failed, and no socket is left.
            guard !pending.isEmpty else { return }
        }
    }

    /// Gives up a place whose coordinator has not answered the hello, unless bytes of its answer have moved.
    private func waitLonger(at index: Int, since: ContinuousClock.Instant, now: ContinuousClock.Instant) {
        if let sign = places.list[index].wire?.signOfLife() {
            places.list[index].farPatience = sign.roundTrip * Self.roundTripsOfWelcome
            let latest = max(since, now - sign.age)
            places.list[index].stage = .greeting(since: latest)
            guard latest + patience(at: index) <= now else { return }
        }
        let endpoint = places.list[index].endpoint
        passOver(index, places.list[index].hasAgreed ? .notCoordinator(endpoint) : .silent(endpoint))
    }

    private func patience(at index: Int) -> Duration {
        max(options.welcomeTimeout, places.list[index].farPatience)
    }
}

extension ClientPlaces.Place {
    /// Whether the handshake of the present socket has succeeded.
    fileprivate var hasAgreed: Bool {
        if case .answered = stage { true } else { diagnosis.conclusion == .connected }
    }
}
