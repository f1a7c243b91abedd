@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

/// A session among coordinators that replace each other on one record; some replaced coordinators still believe that they lead.
struct LeaderModel {
    private var driver: SessionDriver
    private var numbers: SplitMix
    /// The rank with which each coordinator believes to lead; nil for a coordinator that stands by.
    private var beliefs: [LeaderRank?]
    /// The place of the coordinator that leads.
    private var leader = 0
    private var epoch: UInt32 = 1
    /// The coordinators that the session has obeyed, oldest first.
    private var obeyed: [LeaderRank] = []
    /// The first rule that was broken.
    private(set) var failure: String?

    init(seed: UInt64) {
        numbers = SplitMix(seed: seed)
        let places = Int.random(in: 2...4, using: &numbers)
        driver = SessionDriver(seed: seed) { $0.places = places }
        beliefs = Array(repeating: nil, count: places)
        beliefs[0] = .test(epoch)
    }

    /// One random event.
    mutating func step() {
        let place = Int.random(in: beliefs.indices, using: &numbers)
        switch Int.random(in: 0..<8, using: &numbers) {
        case 0: elect(place)
        case 1, 2: observe(driver.turn(.leadership(opinion(at: place), at: place)))
        case 3: observe(driver.turn(.placeLost(place)))
        case 4: loseConnection()
        case 5, 6: answer()
        default: observe(driver.passTime())
        }
    }

    /// Tells every coordinator and the session which coordinator leads, and lets the session find the leader.
    mutating func settle() {
        for place in beliefs.indices where place != leader { beliefs[place] = nil }
        for place in beliefs.indices { observe(driver.turn(.leadership(opinion(at: place), at: place))) }
        for _ in 0..<100 where failure == nil && !isAtLeader {
            if isGreeting { answer() } else { observe(driver.passTime()) }
        }
        if !isAtLeader { failure = failure ?? "the session does not find the leader" }
    }

    private var isAtLeader: Bool {
        driver.session.isWelcomed && driver.session.currentPlace == leader && driver.session.rank == beliefs[leader]
    }

    private var isGreeting: Bool {
        if case .greeting = driver.session.connection { true } else { false }
    }

    private func opinion(at place: Int) -> Leadership {
        Leadership(isLeading: beliefs[place] != nil, rank: beliefs[place])
    }

    /// Lets another coordinator lead; a random part of the other coordinators stand by from now on.
    private mutating func elect(_ place: Int) {
        epoch += 1
        leader = place
        // A coordinator that leads again is a new process: the connection to the old process ends.
        if driver.session.currentPlace == place { loseConnection() }
        for other in beliefs.indices where Bool.random(using: &numbers) { beliefs[other] = nil }
        beliefs[place] = .test(epoch)
    }

    private mutating func loseConnection() {
        switch driver.session.connection {
        case .opening, .greeting, .standingBy, .welcomed: observe(driver.turn(.connectionLost))
        case .away, .refused, .over: break
        }
    }

    /// The coordinator at the session's place answers the hello.
    private mutating func answer() {
        guard isGreeting else { return }
        guard let rank = beliefs[driver.session.currentPlace] else {
            return observe(driver.receive(.leadership(.standsBy)))
        }
        // A new leader asks for a hello that is not late.
        if Bool.random(using: &numbers) { observe(driver.receive(.challenge(UInt64(rank.epoch)))) }
        let effects = driver.welcome(rank: rank)
        if driver.session.isWelcomed {
            let since = obeyed.lastIndex(of: rank).map { obeyed[$0...] } ?? []
            if since.contains(where: { $0.epoch > rank.epoch }) {
                failure = failure ?? "\(rank) is obeyed again"
            }
            obeyed.append(rank)
        }
        observe(effects)
    }

    /// Opens the connection that the session wants.
    private mutating func observe(_ effects: [WorkerSession.Effect]) {
        if !effects.opened.isEmpty { observe(driver.turn(.connectionOpened)) }
    }
}
