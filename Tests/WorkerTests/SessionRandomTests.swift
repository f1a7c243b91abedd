import Operations
import Testing
import Wire

@testable import Worker

/// Random orders of events against a coordinator that loses messages, connections and its memory, and a model that
/// remembers everything.
@Suite("Random orders of events")
struct SessionRandomTests {
    /// What has become of things, as an all-knowing observer sees it.
    private struct Model {
        var driver: SessionDriver
        var numbers: SeededNumbers
        var nextSerial: UInt64 = 1
        var dispatched: [AttemptToken] = []
        var started: Set<AttemptToken> = []
        var running: [AttemptToken] = []
        /// Ended, and neither acknowledged nor stale.
        var owed: Set<AttemptToken> = []
        var forgotten: Set<AttemptToken> = []
        var stale: Set<AttemptToken> = []
        /// Sent in the current session.
        var sentNow: Set<AttemptToken> = []
        var lastHello: WorkerHello?
        /// The first rule that was broken.
        var failure: String?

        init(seed: UInt64) {
            driver = SessionDriver(seed: seed &* 31)
            numbers = SeededNumbers(seed: seed)
        }

        mutating func check(_ condition: Bool, _ rule: String) {
            if !condition { failure = failure ?? rule }
        }

        mutating func pick(_ tokens: some Collection<AttemptToken>) -> AttemptToken? {
            tokens.sorted().randomElement(using: &numbers)
        }

        mutating func step() {
            driver.now += .milliseconds(Int.random(in: 0...300, using: &numbers))
            switch Int.random(in: 0..<13, using: &numbers) {
            case 0...1:
                var tokens: [AttemptToken] = []
                for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                    tokens.append(token(nextSerial))
                    nextSerial += 1
                }
                if let again = pick(dispatched) { tokens.append(again) }
                dispatched += tokens
                let hasInputs = Bool.random(using: &numbers)
                observe(driver.receive(.dispatch(batch(tokens, hasInputs: hasInputs))))
            case 2...3:
                guard let token = pick(running) else { return }
                running.removeAll { $0 == token }
                if !stale.contains(token) { owed.insert(token) }
                observe(driver.turn(.attemptFinished(token, result())))
            case 4:
                guard let token = pick(sentNow) else { return }
                owed.remove(token)
                forgotten.insert(token)
                observe(driver.receive(.acknowledge([token])))
            case 5:
                guard let token = pick(dispatched) else { return }
                observe(driver.receive(.cancel([token])))
            case 6:
                guard let token = pick(dispatched) else { return }
                observe(driver.receive(.inputs(token, [], isLast: true)))
            case 7: observe(driver.receive(.sayHello))
            case 8: observe(driver.turn(.connectionLost))
            case 9...11:
                guard let hello = lastHello, !driver.session.isWelcomed, hello.session == driver.session.session else {
                    observe(driver.passTime())
                    return
                }
                let staleNow = hello.attempts.map(\.token).filter { _ in Int.random(in: 0..<8, using: &numbers) == 0 }
                stale.formUnion(staleNow)
                owed.subtract(staleNow)
                observe(driver.welcome(stale: staleNow))
                check(sentNow.isSuperset(of: owed), "a welcome is not followed by all completions")
            default: observe(driver.passTime())
            }
        }

        mutating func observe(_ effects: [WorkerSession.Effect]) {
            for effect in effects {
                switch effect {
                case .closeConnection:
                    lastHello = nil
                case .openConnection:
                    observe(driver.turn(.connectionOpened))
                case .startAttempt(let item, _, _):
                    check(started.insert(item.token).inserted, "\(item.token) runs twice")
                    running.append(item.token)
                case .send(.hello(let hello)):
                    lastHello = hello
                    sentNow = []
                    let listed = Set(hello.attempts.map(\.token))
                    check(listed.isSuperset(of: owed), "a hello forgets a completion")
                    #expect(
                        listed.isSuperset(of: Set(running).subtracting(stale)),
                        "a hello forgets an attempt"
                    )
                    check(listed.isDisjoint(with: stale), "a hello offers what is stale")
                    check(listed.isDisjoint(with: forgotten), "a hello offers what was acknowledged")
                case .send(.completions(let session, let completions)):
                    check(session == driver.session.session, "completions of another session")
                    for completion in completions {
                        // Some end without having been started: cancelled before their inputs came.
                        if !started.contains(completion.token) { owed.insert(completion.token) }
                        check(owed.contains(completion.token), "\(completion.token) is sent for nothing")
                        check(sentNow.insert(completion.token).inserted, "sent twice in a session")
                    }
                default: break
                }
            }
        }

        /// Lets everything end well: all that runs ends, the coordinator answers, and acknowledges what it gets.
        mutating func settle() {
            for _ in 0..<5000 where driver.session.heldCount > 0 {
                if !driver.session.isWelcomed {
                    if let hello = lastHello, hello.session == driver.session.session, !hello.attempts.isEmpty {
                        observe(driver.welcome())
                    }
                    if !driver.session.isWelcomed { observe(driver.passTime()) }
                }
                if let token = running.popLast() {
                    if !stale.contains(token) { owed.insert(token) }
                    observe(driver.turn(.attemptFinished(token, result())))
                }
                for token in dispatched { observe(driver.receive(.inputs(token, [], isLast: true))) }
                for token in sentNow where owed.contains(token) {
                    owed.remove(token)
                    forgotten.insert(token)
                    observe(driver.receive(.acknowledge([token])))
                }
            }
        }
    }

    @Test("No completion is forgotten before its acknowledgement, and no attempt runs twice", arguments: 1...200)
    func random(seed: UInt64) {
        var model = Model(seed: seed)
        for _ in 0..<400 where model.failure == nil { model.step() }
        if model.failure == nil { model.settle() }
        #expect(model.failure == nil, "seed \(seed)")
        #expect(model.driver.session.heldCount == 0, "seed \(seed)")
        #expect(model.owed.isEmpty, "seed \(seed): \(model.owed)")
        #expect(!model.started.isEmpty)
    }
}
