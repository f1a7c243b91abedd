@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonCoordinator

@Suite("Hellos that reach a new leader late", .timeLimit(.minutes(60)))
struct LateHelloTests {
    /// The number of a worker's hello that was sent before the attempt was given, over connection 2.
    private static let late: UInt64 = 2

    /// Sends the true hello of a worker over a connection, and repeats the hello with the number of the challenge.
    private func sayTrueHello(_ worker: Int, number: UInt64, over connection: UInt64, in scene: LateHelloScene) throws {
        scene.sayHello(worker, number: number, over: connection)
        let echo = try #require(scene.challenges(of: worker, over: connection).last)
        scene.sayHello(worker, number: number + 1, echo: echo, over: connection)
        let welcomes = scene.welcomes(of: worker, over: connection)
        #expect(welcomes.map(\.session) == [scene.session(worker, number: number + 1)])
        #expect(welcomes.allSatisfy { $0.staleAttempts.isEmpty && $0.recalledAttempts.isEmpty })
    }

    /// Checks that nothing was started again, now and behind the window, and that the ends of the attempts count.
    private func checkEnds(inSessions number: UInt64, over connection: UInt64, in scene: LateHelloScene) {
        #expect(scene.dispatchCount == 0 && scene.doAllGoOn)
        scene.pass(.seconds(8))
        #expect(!scene.core.scheduler.isReconciling)
        #expect(scene.dispatchCount == 0 && scene.doAllGoOn)
        #expect(scene.finishAll(inSessions: number, over: connection))
        #expect(scene.core.violations.isEmpty)
    }

    @Test("Late hellos that come first change nothing", arguments: [1, 2, 5])
    func lateFirst(count: Int) throws {
        let scene = try LateHelloScene(workers: count)
        try scene.takeOver()
        let batches = scene.coordinator.batches.count
        for worker in scene.workers {
            scene.sayLateHello(worker, over: 2)
            #expect(scene.messages(to: worker, over: 2).count == 1)
            #expect(scene.challenges(of: worker, over: 2).count == 1)
            #expect(scene.core.scheduler.worker(of: scene.session(worker, number: Self.late)) == nil)
        }
        #expect(scene.coordinator.batches.count == batches, "nothing is recorded")
        #expect(scene.core.scheduler.isReconciling && scene.doAllGoOn)
        for worker in scene.workers.reversed() { try sayTrueHello(worker, number: 3, over: 3, in: scene) }
        checkEnds(inSessions: 4, over: 3, in: scene)
    }

    @Test("Late hellos that come behind the true ones change nothing", arguments: [1, 2, 5])
    func lateLast(count: Int) throws {
        let scene = try LateHelloScene(workers: count)
        try scene.takeOver()
        for worker in scene.workers {
            try sayTrueHello(worker, number: 3, over: 3, in: scene)
            // The window is open until the last one is back, and may be over then.
            #expect(scene.core.scheduler.isReconciling || worker == scene.workers.upperBound)
            scene.sayLateHello(worker, over: 2)
            #expect(scene.welcomes(of: worker, over: 2).isEmpty)
        }
        checkEnds(inSessions: 4, over: 3, in: scene)
    }

    @Test("Several late hellos over one connection get one number", arguments: [1, 3])
    func severalLate(count: Int) throws {
        let scene = try LateHelloScene(workers: count)
        try scene.takeOver()
        for worker in scene.workers {
            for _ in 1...2 { scene.sayLateHello(worker, over: 2) }
            scene.sayLateHello(worker, number: Self.late + 1, over: 2)
            #expect(scene.challenges(of: worker, over: 2).count == 3)
            #expect(Set(scene.challenges(of: worker, over: 2)).count == 1)
            #expect(scene.welcomes(of: worker, over: 2).isEmpty)
        }
        for worker in scene.workers {
            try sayTrueHello(worker, number: 5, over: 3, in: scene)
            scene.sayLateHello(worker, over: 2)
            #expect(scene.welcomes(of: worker, over: 2).isEmpty)
        }
        checkEnds(inSessions: 6, over: 3, in: scene)
    }

    @Test("A number counts over its connection alone, and ends with it")
    func connections() throws {
        let scene = try LateHelloScene(workers: 3)
        try scene.takeOver()
        for worker in scene.workers { scene.sayHello(worker, number: 3, over: 3) }
        let numbers = scene.workers.flatMap { scene.challenges(of: $0, over: 3) }
        #expect(Set(numbers).count == 3)
        // The challenge of the second worker is lost, and the third one repeats a number of another.
        let lost = try #require(scene.challenges(of: 2, over: 3).first)
        scene.disconnect(3, of: 2)
        scene.sayHello(2, number: 4, echo: lost, over: 3)
        scene.sayHello(2, number: 5, echo: lost, over: 4)
        scene.sayHello(3, number: 4, echo: lost, over: 3)
        for (worker, connection) in [(2, 3), (2, 4), (3, 3)] as [(Int, UInt64)] {
            #expect(scene.welcomes(of: worker, over: connection).isEmpty, "worker \(worker)")
        }
        let later = scene.challenges(of: 2, over: 3) + scene.challenges(of: 2, over: 4)
        #expect(later.count == 3 && Set(later).count == 3)
        #expect(Set(scene.challenges(of: 3, over: 3)).count == 1)
        for worker in scene.workers { try sayTrueHello(worker, number: 7, over: 5, in: scene) }
        checkEnds(inSessions: 8, over: 5, in: scene)
    }

    @Test("A worker that is back says further hellos over its connection with the same number")
    func again() throws {
        let scene = try LateHelloScene(workers: 2)
        try scene.takeOver()
        try sayTrueHello(1, number: 3, over: 3, in: scene)
        let echo = try #require(scene.challenges(of: 1, over: 3).first)
        scene.takeMessages()
        scene.sayHello(1, number: 5, echo: echo, over: 3)
        #expect(scene.core.scheduler.isReconciling && scene.challenges(of: 1, over: 3).isEmpty)
        #expect(scene.welcomes(of: 1, over: 3).map(\.session) == [scene.session(1, number: 5)])
        #expect(scene.dispatchCount == 0 && scene.doAllGoOn)
    }

    @Test("Behind the window, a worker with attempts is challenged until it is back, and no other worker is")
    func behindTheWindow() throws {
        let scene = try LateHelloScene(workers: 2)
        try scene.takeOver()
        try sayTrueHello(1, number: 3, over: 3, in: scene)
        scene.pass(.seconds(8))
        #expect(!scene.core.scheduler.isReconciling)
        scene.takeMessages()
        scene.sayLateHello(2, over: 2)
        #expect(scene.challenges(of: 2, over: 2).count == 1 && scene.welcomes(of: 2, over: 2).isEmpty)
        scene.sayHello(1, number: 9, over: 9)
        #expect(scene.welcomes(of: 1, over: 9).count == 1 && scene.challenges(of: 1, over: 9).isEmpty)
        scene.say(scene.hello(3, number: 1), over: 1, of: 3)
        #expect(scene.welcomes(of: 3, over: 1).count == 1 && scene.challenges(of: 3, over: 1).isEmpty)
        #expect(scene.dispatchCount == 0 && scene.doAllGoOn)
        try sayTrueHello(2, number: 3, over: 3, in: scene)
        scene.takeMessages()
        scene.sayHello(2, number: 5, over: 4)
        #expect(scene.welcomes(of: 2, over: 4).count == 1 && scene.challenges(of: 2, over: 4).isEmpty)
        #expect(scene.dispatchCount == 0 && scene.doAllGoOn)
    }

    @Test("A number of an earlier leader does not count for the next one")
    func leaders() throws {
        let scene = try LateHelloScene(workers: 1)
        try scene.takeOver()
        scene.sayHello(1, number: 3, over: 3)
        let echo = try #require(scene.challenges(of: 1, over: 3).first)
        try scene.takeOver()
        scene.sayHello(1, number: 4, echo: echo, over: 3)
        #expect(scene.welcomes(of: 1, over: 3).isEmpty && scene.challenges(of: 1, over: 3).count == 1)
    }

    @Test("A coordinator without a lease, and a worker of version 1, are as before", arguments: [true, false])
    func withoutChallenges(hasLease: Bool) throws {
        let scene = try LateHelloScene(workers: 1)
        try scene.takeOver(hasLease: hasLease)
        #expect(scene.core.scheduler.isReconciling && scene.core.needsProof(ofWorker: "w1") == hasLease)
        let attempts = try #require(scene.executed[1])
        let protocols = hasLease ? ProtocolRange(oldest: 1, newest: 1) : .own
        scene.say(scene.hello(1, number: 3, claiming: attempts, protocols: protocols), over: 3, of: 1)
        #expect(scene.welcomes(of: 1, over: 3).count == 1 && scene.challenges(of: 1, over: 3).isEmpty)
        checkEnds(inSessions: 3, over: 3, in: scene)
    }

    @Test("What is believed at once does harm if it is late, so that the tests above could fail")
    func believed() throws {
        let scene = try LateHelloScene(workers: 1)
        try scene.takeOver(hasLease: false)
        scene.sayLateHello(1, over: 2)
        scene.pass(.seconds(8))
        #expect(!scene.doAllGoOn)
    }
}
