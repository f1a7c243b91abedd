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
            receive: { [self] bytes in
                guard case .reply(let number, let reply)? = bytes.withUnsafeBytes({ try? ClientReply(decoding: $0) })
                else { return }
                receive(reply, to: number)
            },
            loseConnection: { [self] in connectAgain() }
        )
    }

    private func connectAgain() {
        guard !isRetired else { return }
        if let link { world.network.close(link) }
        connect()
        for number in questions.keys.sorted() { send(number) }
    }

    private func send(_ number: UInt64) {
        guard let link, let question = questions[number] else { return }
        questions[number]?.askedAt = world.now
        world.network.sendUp(ClientMessage.request(number, question.request).encoded(), over: link)
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
