@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("A session with several coordinators, of which one leads")
struct SessionLeaderTests {
    /// A session with a number of places whose coordinators are unknown.
    private func driver(places: Int = 2, knowing ranks: KnownRanks = KnownRanks()) -> SessionDriver {
        SessionDriver(slots: 1) {
            $0.places = places
            $0.knownRanks = ranks
        }
    }

    /// A session with two places, welcomed at the first by a coordinator of this rank.
    private func welcomed(by rank: LeaderRank) -> SessionDriver {
        var driver = driver()
        driver.connect()
        driver.welcome(rank: rank)
        return driver
    }

    @Test("A session with several places asks all of them once, and begins with the first", arguments: 2...8)
    func inquiries(places: Int) {
        var driver = driver(places: places)
        #expect(driver.turn(.tick) == [.openInquiries, .openConnection(at: 0)])
        for turn in 1...(2 * places) {
            #expect(driver.turn(.connectionLost).isEmpty)
            #expect(driver.passTime() == [.openConnection(at: turn % places)])
        }
    }

    @Test("A session with one place sends no inquiries, keeps no ranks, and obeys any coordinator that welcomes it")
    func onePlace() {
        var driver = SessionDriver()
        for epoch: UInt32 in [7, 5, 7, 6, 1] {
            driver.connect()
            let effects = driver.welcome(rank: .test(epoch))
            #expect(effects.isEmpty && driver.session.isWelcomed, "epoch \(epoch)")
            driver.turn(.connectionLost)
        }
    }

    @Test("A leader of a higher epoch is followed at once, with all attempts, and is kept before they change")
    func replaced() throws {
        var driver = welcomed(by: .test(5))
        driver.dispatch(1, 2)
        let moved = driver.turn(.leadership(.leads(.test(6)), at: 1))
        #expect(moved == [.closeConnection, .openConnection(at: 1)])
        let hello = try #require(driver.turn(.connectionOpened).hellos.first)
        #expect(hello.attempts.map(\.token) == [token(1), token(2)])
        let effects = driver.welcome(stale: [token(1)], rank: .test(6))
        let kept = try #require(effects.firstIndex { if case .keepRanks = $0 { true } else { false } })
        let end = try #require(effects.firstIndex(of: .endAttempt(token(1), .cancelled)))
        #expect(kept < end)
        #expect(effects.keptRanks.map(\.highest) == [LeaderRank.test(6)] && effects.leaderNews.isEmpty)
        // News of the same leader, or of a coordinator that the leader outranks, changes nothing.
        #expect(driver.turn(.leadership(.leads(.test(6)), at: 1), .leadership(.leads(.test(5)), at: 0)).isEmpty)
        #expect(driver.turn(.placeSilent(0), .placeLost(0), .placeLost(1)).isEmpty)
        #expect(driver.session.isWelcomed)
    }

    @Test("A coordinator that was replaced is not obeyed at the first address, though the other one is away")
    func deposed() {
        var driver = welcomed(by: .test(5))
        driver.dispatch(1)
        driver.turn(.leadership(.leads(.test(6)), at: 1))
        driver.turn(.connectionOpened)
        let ranks = driver.welcome(rank: .test(6)).keptRanks
        driver.turn(.connectionLost, .placeLost(1))
        for _ in 0..<3 {
            #expect(driver.connect().hellos.count == 1 && driver.session.currentPlace == 0)
            let effects = driver.welcome(stale: [token(1)], rank: .test(5))
            #expect(effects == [.noteLeader(.superseded(.test(5))), .closeConnection])
            #expect(!driver.session.isWelcomed && driver.session.attemptCount == 1)
            // The replaced coordinator still claims to lead, and the worker does not return.
            #expect(driver.turn(.leadership(.leads(.test(5)), at: 0)).isEmpty)
            driver.connect()
            #expect(driver.session.currentPlace == 1)
            driver.turn(.connectionLost)
            // Both places are unknown now, so the session tries each in turn.
            driver.turn(.placeLost(0))
        }
        // A restarted worker that reads the kept ranks does not obey the replaced coordinator, either.
        for kept in ranks {
            var next = self.driver(knowing: KnownRanks(lines: kept.lines))
            next.connect()
            #expect(next.welcome(rank: .test(5)).contains(.closeConnection) && !next.session.isWelcomed)
            next.connect()
            #expect(next.session.currentPlace == 1)
            #expect(next.welcome(rank: .test(6)).keptRanks.isEmpty && next.session.isWelcomed)
        }
        #expect(ranks.count == 1)
    }

    @Test("D12 A restored copy of the record is obeyed with a warning, and again after a lost connection without one")
    func restored() {
        var driver = welcomed(by: .test(5))
        let copy = LeaderRank.test(3, 30)
        driver.turn(.connectionLost)
        driver.connect()
        // Nobody has answered at the other address yet.
        #expect(driver.welcome(rank: copy) == [.closeConnection])
        let doubtedAt = driver.now
        driver.connect()
        #expect(driver.now == doubtedAt + WorkerSession.doubtPatience)
        let effects = driver.welcome(rank: copy)
        #expect(effects.leaderNews == [.restored(copy)] && effects.keptRanks.map(\.highest) == [copy])
        #expect(driver.session.isWelcomed)
        driver.turn(.connectionLost)
        driver.connect()
        #expect(driver.welcome(rank: copy).isEmpty && driver.session.isWelcomed)
        // The record of before is back.
        driver.turn(.connectionLost)
        driver.connect()
        #expect(driver.welcome(rank: .test(5)).leaderNews.isEmpty && driver.session.isWelcomed)
    }

    @Test(
        "A coordinator that was replaced is not obeyed during its lease, although the next leader has died and stands by"
    )
    func replacedDuringLease() {
        var driver = welcomed(by: .test(5))
        // The worker has never met the leader of epoch 4, whose lease is not over.
        let replaced = LeaderRank.test(4, 40)
        driver.turn(.connectionLost, .leadership(.standsBy, at: 1), .leadership(.leads(replaced), at: 0))
        driver.turn(.connectionOpened)
        #expect(driver.welcome(rank: replaced) == [.closeConnection] && !driver.session.isWelcomed)
        let doubtedAt = driver.now
        #expect(driver.turn(.leadership(.standsBy, at: 1)).isEmpty)
        #expect(driver.turn(.leadership(.leads(replaced), at: 0)).isEmpty, "the doubt goes on")
        driver.connect()
        #expect(driver.now >= doubtedAt + WorkerSession.doubtPatience)
        // Whoever leads then leads on a restored record.
        #expect(driver.welcome(rank: replaced).leaderNews == [.restored(replaced)])
    }

    @Test(
        "A restarted worker obeys no older copy at its first address before the others were asked, and goes to its leader",
        arguments: [LeaderRank.test(2, 20), LeaderRank.test(4, 40)],
        [false, true]
    )
    func olderCopy(older: LeaderRank, answersFirst: Bool) {
        let leader = LeaderRank.test(4)
        var driver = driver(knowing: KnownRanks(lines: "0000000000000001 4 0000000000000004 4 0000000000000003\n"))
        #expect(driver.session.ranks.highest == leader)
        driver.connect()
        if answersFirst {
            let moved = driver.turn(.leadership(.leads(older), at: 0), .leadership(.leads(leader), at: 1))
            #expect(moved == [.closeConnection, .openConnection(at: 1)])
        } else {
            #expect(driver.welcome(rank: older) == [.closeConnection] && !driver.session.isWelcomed)
            #expect(driver.turn(.leadership(.leads(leader), at: 1)) == [.openConnection(at: 1)])
        }
        driver.turn(.connectionOpened)
        let effects = driver.welcome(rank: leader)
        #expect(driver.session.isWelcomed && effects.leaderNews.isEmpty && effects.keptRanks.isEmpty)
        #expect(driver.turn(.leadership(.leads(older), at: 0)).isEmpty && driver.session.isWelcomed)
    }

    @Test("A copy with the epoch of the leader is not obeyed while the leader answers at another address")
    func sameEpoch() {
        var driver = welcomed(by: .test(5))
        driver.turn(.leadership(.leads(.test(5)), at: 0), .leadership(.leads(.test(5, 50)), at: 1))
        #expect(driver.session.currentPlace == 0 && driver.session.isWelcomed)
        // The connection is lost for a moment, and the worker tries the other address.
        driver.turn(.placeLost(0))
        driver.turn(.connectionLost)
        driver.connect()
        #expect(driver.session.currentPlace == 1)
        #expect(driver.turn(.leadership(.leads(.test(5)), at: 0)) == [.closeConnection, .openConnection(at: 0)])
        driver.turn(.connectionOpened)
        #expect(driver.welcome(rank: .test(5)).keptRanks.isEmpty && driver.session.isWelcomed)
    }

    @Test("A leader calls the session from a pause, from an opening and from an unanswered hello", arguments: 0...2)
    func called(stage: Int) {
        var driver = driver()
        driver.turn(.tick)
        if stage == 0 { driver.turn(.connectionLost) }
        if stage == 2 { driver.turn(.connectionOpened) }
        let effects = driver.turn(.leadership(.leads(.test(1)), at: 1))
        let end: [WorkerSession.Effect] = stage == 0 ? [] : [.closeConnection]
        #expect(effects == end + [.openConnection(at: 1)])
        #expect(driver.turn(.connectionOpened).hellos.count == 1)
    }

    @Test("A session goes from one that stands by to the next, and waits once all stand by", arguments: 2...5)
    func allStandBy(places: Int) {
        var driver = driver(places: places)
        driver.connect()
        for place in 1..<places {
            let effects = driver.receive(.leadership(.standsBy))
            #expect(effects == [.noteLeader(.standsBy(leader: nil)), .closeConnection, .openConnection(at: place)])
            #expect(driver.turn(.connectionOpened).hellos.count == 1)
        }
        #expect(driver.receive(.leadership(.standsBy)) == [.noteLeader(.standsBy(leader: nil))])
        #expect(driver.session.standbyPlace == places - 1 && driver.session.fruitlessConnections == 0)
        let leader = driver.turn(.leadership(.leads(.test(4)), at: 0))
        #expect(leader == [.closeConnection, .openConnection(at: 0)])
        #expect(driver.session.standbyPlace == nil)
    }

    @Test("A session waits at a coordinator that stands by, and says hello again, at once when it leads")
    func standsBy() {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1)
        driver.turn(.connectionLost)
        driver.connect()
        let named = Leadership(isLeading: false, rank: .test(4), leader: "tcp://b:7461")
        #expect(driver.receive(.leadership(named)) == [.noteLeader(.standsBy(leader: "tcp://b:7461"))])
        #expect(!driver.session.isWelcomed && driver.session.standbyPlace == 0)
        let since = driver.now
        var session = driver.session.session
        #expect(driver.turn(.attemptFinished(token(1), result())).isEmpty)
        let again = driver.passTime()
        #expect(driver.now == since + .seconds(10) && again.count == 1)
        #expect(again.hellos.map { $0.attempts.map(\.phase) } == [[.finished]])
        #expect(driver.session.session != session)
        driver.receive(.leadership(.standsBy))
        session = driver.session.session
        let effects = driver.receive(.leadership(.leads(.test(5))), after: .seconds(1))
        #expect(effects.hellos.count == 1 && effects.count == 1 && driver.session.session != session)
        #expect(driver.welcome().completions.map(\.token) == [token(1)])
    }

    @Test("A connection to a coordinator that stands by may be lost, and a hello there may stay without an answer")
    func lostStandby() {
        var driver = SessionDriver()
        driver.connect()
        driver.receive(.leadership(.standsBy))
        #expect(driver.turn(.connectionLost) == [.closeConnection])
        driver.connect()
        driver.receive(.leadership(.standsBy))
        #expect(driver.passTime().hellos.count == 1)
        #expect(driver.passTime() == [.closeConnection])
    }

    @Test("A coordinator that leads no longer loses the worker")
    func resigns() {
        var driver = welcomed(by: .test(5))
        let effects = driver.receive(.leadership(.standsBy))
        #expect(effects == [.noteLeader(.standsBy(leader: nil)), .closeConnection, .openConnection(at: 1)])
        var single = SessionDriver.welcomed()
        #expect(single.receive(.leadership(.standsBy)) == [.noteLeader(.standsBy(leader: nil))])
        #expect(!single.session.isWelcomed)
    }

    @Test(
        "A rank with an unknown record or incarnation counts as no rank",
        arguments: [(0, 9), (1, 0)] as [(UInt64, UInt64)]
    )
    func withoutRecord(record: UInt64, incarnation: UInt64) {
        var driver = driver()
        driver.connect()
        let rank = LeaderRank.test(9, incarnation, record: record)
        #expect(driver.welcome(rank: rank).isEmpty && driver.session.isWelcomed)
        #expect(driver.turn(.leadership(.leads(rank), at: 1)).isEmpty)
        #expect(driver.turn(.leadership(.leads(.test(1)), at: 1)) == [.closeConnection, .openConnection(at: 1)])
    }

    @Test("What a coordinator says after the session has left it counts for no other place")
    func late() {
        var driver = driver(places: 3)
        driver.connect()
        let effects = driver.receive(.leadership(.standsBy), .leadership(.leads(.test(1))))
        #expect(effects.opened == [1])
        #expect(driver.session.choice.standings == [.standingBy, .unknown, .unknown])
    }

    @Test("Places that answer no inquiry are tried in turn, after any leader that tells its rank")
    func silent() {
        var driver = driver()
        driver.connect()
        #expect(driver.turn(.placeSilent(0), .placeSilent(1)).isEmpty)
        for place in [1, 0, 1] {
            while !driver.passTime().contains(.closeConnection) {}
            driver.connect()
            #expect(driver.session.currentPlace == place)
            driver.turn(.placeSilent(0), .placeSilent(1))
        }
        driver.welcome()
        #expect(driver.turn(.leadership(.leads(.test(1)), at: 0)) == [.closeConnection, .openConnection(at: 0)])
    }

    @Test("A session ends once every place has refused its keys", arguments: 2...4)
    func keys(places: Int) {
        var driver = driver(places: places)
        for place in 0..<places {
            driver.connect()
            #expect(driver.session.currentPlace == place)
            let effects = driver.turn(.notAdmitted(.mismatch))
            #expect(effects == (place == places - 1 ? [.exit(.notAdmitted(.mismatch))] : []))
            if place < places - 1 { driver.turn(.connectionLost) }
        }
    }

    @Test(
        "A session never goes back to a coordinator that it has left for a higher epoch, and finds the leader",
        arguments: 1...200
    )
    func random(seed: UInt64) {
        var model = LeaderModel(seed: seed)
        for _ in 0..<100 where model.failure == nil { model.step() }
        if model.failure == nil { model.settle() }
        #expect(model.failure == nil, "seed \(seed)")
    }
}
