@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
@_spi(Baton) import BatonWire

/// A client, which repeats each request over another connection until the answer comes, like the real client.
final class ClientHost {
    /// A request without an answer so far.
    private struct Question {
        var request: Request
        var askedAt: Timestamp
        var answer: (Reply) -> Void
    }

    let index: Int
    private unowned let world: World
    private var random: SplitMix
    private var link: Link?
    private var questions: [UInt64: Question] = [:]
    private var nextNumber: UInt64 = 1
    /// The requests that last as long as the run.
    private var endless: Set<UInt64> = []
    private var isRetired = false
    /// The place of the present connection.
    private var place = 0
    /// Whether the coordinator there has said that it leads; in a run with two coordinators alone.
    private var isWelcomed = false
    /// The highest epoch of a coordinator that has welcomed the client.
    private var highestEpoch: UInt32 = 0

    private static let patience = Duration.seconds(3)

    init(_ world: World, index: Int, seed: UInt64) {
        self.world = world
        self.index = index
        random = SplitMix(seed: seed)
    }

    /// Whether all requests are answered.
    var isQuiet: Bool { questions.keys.allSatisfy(endless.contains) }

    /// Sends a request.
    ///
    /// - Parameter isEndless: whether the request lasts as long as the run.
    func ask(_ request: Request, isEndless: Bool = false, answer: @escaping (Reply) -> Void) {
        guard !isRetired else { return }
        let number = nextNumber
        nextNumber += 1
        questions[number] = Question(request: request, askedAt: world.now, answer: answer)
        if isEndless { endless.insert(number) }
        if link == nil { connect() }
        send(number)
    }

    /// Drops all requests.
    func retire() {
        questions = [:]
        endless = []
        if let link { world.network.close(link) }
        isRetired = true
    }

    private func connect() {
        link = world.network.connect(
            from: world.workers.count + index,
            to: place,
            receive: { [self] bytes in
                switch bytes.withUnsafeBytes({ try? ClientReply(decoding: $0) }) {
                case .reply(let number, let reply)?: receive(reply, to: number)
                case .welcome(_, _, let epoch, _)?: if world.hasStandby { welcomed(epoch: epoch) }
                case .leadership(let leadership)?: hear(leadership)
                case .refused?, .reading?, nil: break
                }
            },
            loseConnection: { [self] in connectAgain() }
        )
        if world.hasStandby { greet() }
    }

    // MARK: - Two coordinators

    private func greet() {
        isWelcomed = false
        guard let link else { return }
        world.network.sendUp(ClientMessage.hello(.own, version: "simulated").encoded(), over: link)
    }

    /// Sends all requests to a coordinator that leads, and leaves one of a lower epoch than another before.
    private func welcomed(epoch: UInt32) {
        guard epoch >= highestEpoch else { return leaveLater() }
        highestEpoch = epoch
        isWelcomed = true
        guard let link else { return }
        for (number, question) in questions.sorted(by: { $0.key < $1.key }) {
            world.network.sendUp(ClientMessage.request(number, question.request).encoded(), over: link)
        }
    }

    private func hear(_ leadership: Leadership) {
        if leadership.isLeading { greet() } else { leaveLater() }
    }

    /// Goes to the other coordinator after a moment.
    private func leaveLater() {
        let left = link
        let time = world.now + random.time(.milliseconds(5), .milliseconds(300))
        world.schedule(at: time, actor: 100 + index) { [self] in
            if link === left, !isWelcomed { connectAgain() }
        }
    }

    // MARK: - Requests

    private func connectAgain() {
        guard !isRetired else { return }
        if let link { world.network.close(link) }
        place = (place + 1) % world.coordinators.count
        connect()
        for number in questions.keys.sorted() { send(number) }
    }

    private func send(_ number: UInt64) {
        guard let link, let question = questions[number] else { return }
        questions[number]?.askedAt = world.now
        if isWelcomed || !world.hasStandby {
            world.network.sendUp(ClientMessage.request(number, question.request).encoded(), over: link)
        }
        world.schedule(at: world.now + Self.patience + .milliseconds(random.number(0...500)), actor: 100 + index) {
            [self] in
            guard let question = questions[number], question.askedAt + Self.patience <= world.now else { return }
            connectAgain()
        }
    }

    private func receive(_ reply: Reply, to number: UInt64) {
        guard let question = questions.removeValue(forKey: number) else { return }
        endless.remove(number)
        if case .events = reply {
        } else {
            world.tell("client \(index): \(Trace.brief(question.request)) is answered \(Trace.brief(reply))")
        }
        question.answer(reply)
    }
}
