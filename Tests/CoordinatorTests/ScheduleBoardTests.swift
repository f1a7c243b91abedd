@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonCoordinator

/// The decisions about the times of schedules.
@Suite("Decisions about schedules", .timeLimit(.minutes(60)))
struct ScheduleBoardTests {
    /// The start of a day, 27 November 2026.
    private static let day = Timestamp(rawValue: 1_795_737_600_000_000)

    private func time(_ hour: Int64, _ minute: Int64 = 0, _ second: Int64 = 0) -> Timestamp {
        Self.day + .seconds((hour * 60 + minute) * 60 + second)
    }

    /// A board with a schedule that starts in each hour, from 1:30 on.
    private func board(
        _ overlap: ScheduleOverlap = .skip,
        _ catchUp: ScheduleCatchUp = .last,
        _ change: (inout ScheduleState) -> Void = { _ in }
    ) throws -> ScheduleBoard {
        let settings = ScheduleSettings(
            name: "hourly",
            cron: try CronExpression("0 * * * *"),
            overlap: overlap,
            catchUp: catchUp
        )
        var state = ScheduleState(decidedUntil: time(1, 30))
        change(&state)
        var board = ScheduleBoard()
        board.add(ScheduleRecord(settings: settings, addedAt: time(1, 30), request: [], state: state), .utc)
        return board
    }

    /// Decides at a moment, if the schedule has to be looked at.
    private func decide(
        _ board: inout ScheduleBoard,
        at moment: Timestamp,
        running: [UInt32] = []
    ) -> ScheduleBoard.Decision? {
        guard board.takeDue(at: moment) == ["hourly"] else { return nil }
        return board.decide("hourly", at: moment) { running.contains($0.rawValue) }
    }

    private func decided(
        _ board: inout ScheduleBoard,
        at moment: Timestamp,
        running: [UInt32] = []
    ) throws -> ScheduleBoard.Decision {
        let decision = decide(&board, at: moment, running: running)
        return try #require(decision)
    }

    @Test("SC1 A time starts one job, and the next time another")
    func starts() throws {
        var board = try board()
        #expect(decide(&board, at: time(1, 30))?.wish == nil)
        #expect(board.nextMoment == time(2))
        #expect(decide(&board, at: time(1, 59, 59)) == nil)
        let decision = try decided(&board, at: time(2))
        #expect(decision.wish == .start(time(2)))
        #expect(decision.state?.waiting == [time(2)])
        #expect(decision.state?.decidedUntil == time(2))
        #expect(board["hourly"]?.settings.key(at: time(2)) == "hourly@2026-11-27T02:00Z")
        let started = board.noteStart(of: "hourly", at: time(2), JobNumber(7))
        let state = try #require(started)
        #expect(state.last == ScheduleState.Start(time: time(2), job: JobNumber(7)))
        #expect(state.waiting.isEmpty)
        // The answer comes once more.
        #expect(board.noteStart(of: "hourly", at: time(2), JobNumber(7)) == nil)
        #expect(decide(&board, at: time(2, 1))?.wish == nil)
        #expect(decide(&board, at: time(3))?.wish == .start(time(3)))
    }

    @Test("SC1 A schedule whose coordinator was killed asks again for the job of a time, with its key")
    func again() throws {
        var board = try board(.skip, .nothing) { state in
            state.decidedUntil = self.time(2)
            state.waiting = [self.time(2)]
        }
        let decision = try decided(&board, at: time(2, 40))
        #expect(decision.wish == .start(time(2)))
        #expect(decision.skips.isEmpty)
    }

    @Test("SC1 Of missed times the last one starts, or none", arguments: [ScheduleCatchUp.last, .nothing])
    func missed(catchUp: ScheduleCatchUp) throws {
        var board = try board(.skip, catchUp)
        let decision = try decided(&board, at: time(9, 1))
        #expect(decision.state?.decidedUntil == time(9))
        switch catchUp {
        case .last:
            #expect(decision.wish == .start(time(9)))
            #expect(decision.skips == [ScheduleSkip(time: time(8), reason: .missed)])
        case .nothing:
            #expect(decision.wish == nil)
            #expect(decision.state?.skip == ScheduleSkip(time: time(9), reason: .missed))
        }
        #expect(board.nextMoment == time(10))
        _ = board.noteStart(of: "hourly", at: time(9), JobNumber(7))
        // Less than a minute late is in time.
        #expect(decide(&board, at: time(10, 0, 59))?.skips == [])
    }

    @Test("SC3 While the last job goes on, a time is skipped and recorded")
    func skip() throws {
        var board = try board(.skip) { $0.last = ScheduleState.Start(time: .init(rawValue: 0), job: JobNumber(7)) }
        let decision = try decided(&board, at: time(2), running: [7])
        #expect(decision.wish == nil)
        #expect(decision.state?.skip == ScheduleSkip(time: time(2), reason: .overlap))
        #expect(decide(&board, at: time(3))?.wish == .start(time(3)))
        // Nor while a job is asked for.
        #expect(decide(&board, at: time(4))?.state?.skip == ScheduleSkip(time: time(4), reason: .overlap))
    }

    @Test("SC3 Times wait for the end of the last job, in their order")
    func queue() throws {
        var board = try board(.queue) { $0.last = ScheduleState.Start(time: .init(rawValue: 0), job: JobNumber(7)) }
        #expect(decide(&board, at: time(2), running: [7])?.wish == nil)
        #expect(decide(&board, at: time(3), running: [7])?.state?.waiting == [time(2), time(3)])
        board.noteFinished(JobNumber(8))
        #expect(decide(&board, at: time(3, 1)) == nil)
        board.noteFinished(JobNumber(7))
        #expect(decide(&board, at: time(3, 2))?.wish == .start(time(2)))
        #expect(board.noteStart(of: "hourly", at: time(2), JobNumber(8))?.waiting == [time(3)])
        #expect(decide(&board, at: time(3, 3), running: [8])?.wish == nil)
        board.noteFinished(JobNumber(8))
        #expect(decide(&board, at: time(3, 4))?.wish == .start(time(3)))
    }

    @Test("SC3 A time cancels the last job once, and starts after its end; a later time takes its place")
    func replace() throws {
        var board = try board(.replace) { $0.last = ScheduleState.Start(time: .init(rawValue: 0), job: JobNumber(7)) }
        #expect(decide(&board, at: time(2), running: [7])?.wish == .cancel(JobNumber(7)))
        let decision = try decided(&board, at: time(3), running: [7])
        #expect(decision.wish == nil)
        #expect(decision.skips == [ScheduleSkip(time: time(2), reason: .overlap)])
        #expect(decision.state?.waiting == [time(3)])
        board.noteFinished(JobNumber(7))
        #expect(decide(&board, at: time(3, 1))?.wish == .start(time(3)))
    }

    @Test("A paused schedule starts nothing, and goes on with the next of its times")
    func pause() throws {
        var board = try board()
        #expect(board.change("hourly", .resume, at: time(1, 40)) == nil)
        guard case .scheduleState("hourly", let paused)? = board.change("hourly", .pause, at: time(1, 40)) else {
            Issue.record("no change")
            return
        }
        #expect(paused.isPaused)
        #expect(board.change("hourly", .pause, at: time(1, 41)) == nil)
        #expect(decide(&board, at: time(5))?.wish == nil)
        #expect(board.times(of: "hourly", 3, after: time(5)).isEmpty)
        #expect(board.change("hourly", .resume, at: time(5, 30)) != nil)
        #expect(decide(&board, at: time(5, 30)) == ScheduleBoard.Decision())
        #expect(board.times(of: "hourly", 2, after: time(5, 30)) == [time(6), time(7)])
        #expect(decide(&board, at: time(6))?.wish == .start(time(6)))
        #expect(board.change("hourly", .remove, at: time(6)) == .schedule("hourly", nil))
        #expect(board.noteStart(of: "hourly", at: time(6), JobNumber(1)) == nil)
        #expect(board.isEmpty)
    }

    @Test("A refused job is recorded, and one that could not be kept is asked for again")
    func refusals() throws {
        var board = try board()
        #expect(decide(&board, at: time(2))?.wish == .start(time(2)))
        board.notePutOff("hourly", at: time(2), present: time(2))
        #expect(board.nextMoment == time(2, 0, 5))
        #expect(decide(&board, at: time(2, 0, 5))?.wish == .start(time(2)))
        let refused = board.noteRefusal(of: "hourly", at: time(2), "No.")
        let state = try #require(refused)
        #expect(state.skip == ScheduleSkip(time: time(2), reason: .refused, message: "No."))
        #expect(decide(&board, at: time(3))?.wish == .start(time(3)))
    }

    @Test("SC1 A clock that was wrong by more than a day does not keep a schedule from its times")
    func clock() throws {
        var board = try board { $0.decidedUntil = self.time(24 * 365) }
        board.noteClock(at: time(1, 50))
        #expect(decide(&board, at: time(1, 50))?.state?.decidedUntil == time(1, 50))
        #expect(decide(&board, at: time(2))?.wish == .start(time(2)))
        // A smaller step back repeats nothing.
        board.noteClock(at: time(1, 59))
        #expect(decide(&board, at: time(1, 59))?.wish == nil)
        #expect(board.nextMoment == time(3))
    }
}
