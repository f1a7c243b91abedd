/// The loop's timers.
extension ClientLoop {
    /// When the next timer is due; nil while no request is outstanding.
    var nextTimer: ContinuousClock.Instant? {
        guard !pending.isEmpty else { return nil }
        var timers = pending.values.compactMap(\.deadline)
        if let awaySince { timers.append(awaySince + options.awayLimit) }
        switch link {
        case .down(let next): if let next { timers.append(next) }
        case .searching(let since): if !hasBeenWelcomed { timers.append(since + searchLimit) }
        case .connecting(let since): if !hasBeenWelcomed { timers.append(since + options.connectTimeout) }
        case .greeting(let since): timers.append(since + welcomePatience)
        case .standingBy(let since): timers.append(since + ClientPlaces.pause)
        case .choosing: break
        case .welcomed:
            timers.append(lastHeard + options.silenceLimit)
            timers.append(nextLook)
            timers += pending.values.compactMap(\.lateAt)
        }
        if !places.list.isEmpty { timers += placeTimers }
        return timers.min()
    }

    /// When the silence is long enough for the probe, or for another look at the connection.
    ///
    /// The more often the loop looks at an unanswered probe, the better it knows when the bytes have stopped.
    private var nextLook: ContinuousClock.Instant {
        if isProbed { return max(lastHeard, lastLook) + options.probeAfter / 4 }
        return lastHeard + (isBeingRead ? options.probeAfter / 5 : options.probeAfter)
    }

    func checkTimers(at now: ContinuousClock.Instant) {
        for request in pending.values {
            guard let deadline = request.deadline, let timeout = request.timeout, deadline <= now else { continue }
            let isUncertain = !request.isRepeatableByCaller && request.mayHaveArrived
            resolve(
                request.number,
                .failure(isUncertain ? .submissionUnanswered(endpoint) : .timedOut(endpoint, after: timeout))
            )
        }
        guard !pending.isEmpty else { return }
        if let awaySince, awaySince + options.awayLimit <= now {
            return failAll(errorOfAbsence)
        }
        checkPlaceTimers(at: now)
        switch link {
        case .down(let next):
            if let next, next <= now { open() }
        case .searching(let since):
            if !hasBeenWelcomed, since + searchLimit <= now { searchIsOverdue() }
        case .connecting(let since):
            if !hasBeenWelcomed, since + options.connectTimeout <= now { nobodyListens() }
        case .greeting(let since):
            guard since + welcomePatience <= now else { return }
            let sign = lookForSignOfLife(at: now)
            if let sign, sign > since { link = .greeting(since: sign) }
            guard max(since, sign ?? since) + welcomePatience <= now else { return }
            // A peer that has agreed on a connection has said something; if it has proven no key, it does not know this protocol.
            if hasBeenWelcomed {
                loseConnection(isSilent: isSilent || hasAgreed)
            } else {
                passOver(hasAgreed ? .notCoordinator(endpoint) : .silent(endpoint))
            }
        case .standingBy(let since):
            guard since + ClientPlaces.pause <= now else { return }
            probe(at: now)
            link = .standingBy(since: now)
        case .choosing: break
        case .welcomed:
            defer { noteLateness(at: now) }
            guard min(nextLook, lastHeard + options.silenceLimit) <= now else { return }
            // The answer to a probe spares the looks, unless the probe waits behind a long message.
            guard isProbed || lastHeard + options.silenceLimit <= now else { return probe(at: now) }
            if let sign = lookForSignOfLife(at: now) { lastHeard = max(lastHeard, sign) }
            if lastHeard + options.silenceLimit <= now { loseConnection() }
        }
    }

    /// Why the requests fail once the coordinator has been away for too long.
    private var errorOfAbsence: ClientError {
        let limit = options.awayLimit
        if let obstacle { return .notAdmitted(obstacle, endpoint: endpoint) }
        if let error = places.list.compactMap(\.error).first(where: \.concernsAdmission) { return error }
        if case .standingBy = link { return .standby([endpoint], of: endpoint, after: limit) }
        if !places.standbys.isEmpty { return .standby(places.standbys, of: endpoint, after: limit) }
        if !places.superseded.isEmpty { return .superseded(places.superseded, of: endpoint, after: limit) }
        return isSilent ? .unanswering(endpoint, after: limit) : .lost(endpoint, after: limit)
    }

    /// Says once of each change that its answer is late; of several, together.
    ///
    /// A probe is answered first: its answer may be that the coordinator still reads the request.
    private func noteLateness(at now: ContinuousClock.Instant) {
        let late = pending.values.filter { $0.lateAt.map { $0 <= now } ?? false }.map(\.number)
        guard !late.isEmpty else { return }
        if !isProbed, late.contains(where: { pending[$0]?.isProbed == true }) {
            for number in late { pending[number]?.lateAt = nil }
            return tell(.late)
        }
        if !isProbed { probe(at: now) }
        for number in late {
            pending[number]?.isProbed = true
            pending[number]?.lateAt = now + options.probeAfter / 4
        }
    }
}
