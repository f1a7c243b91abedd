import Testing

@_spi(Baton) @testable import BatonCoordinator

@Suite("The invariants of the scheduler are checked at bounded cost")
struct InvariantScheduleTests {
    @Test("A check is due after as many events as the state is large, and a few more")
    func interval() {
        var schedule = InvariantSchedule(isOn: true)
        let state = 1000
        var checked: [Int] = []
        for event in 1...10_000 where schedule.isDue(after: 1, state: state) { checked.append(event) }
        #expect(checked.first == InvariantSchedule.leastEvents)
        let intervals = zip(checked.dropFirst(), checked).map { $0 - $1 }
        #expect(!intervals.isEmpty && intervals.allSatisfy { $0 == InvariantSchedule.leastEvents + state })
    }

    @Test("Events that come together count one by one")
    func batches() {
        var schedule = InvariantSchedule(isOn: true)
        let isDueBefore = schedule.isDue(after: InvariantSchedule.leastEvents - 1, state: 0)
        #expect(!isDueBefore)
        let isDue = schedule.isDue(after: 1, state: 0)
        #expect(isDue)
    }

    @Test("A large state is not checked, and not measured at each event")
    func largeState() {
        var schedule = InvariantSchedule(isOn: true)
        var measured = 0
        func size() -> Int {
            measured += 1
            return InvariantSchedule.largestState + 1
        }
        for _ in 0..<InvariantSchedule.largestState {
            let isDue = schedule.isDue(after: 1, state: size())
            #expect(!isDue)
        }
        #expect(measured == 1)
    }

    @Test("Nothing is checked unless the environment asks for it")
    func off() {
        var schedule = InvariantSchedule(isOn: false)
        let isDue = schedule.isDue(after: 1_000_000, state: 0)
        #expect(!isDue)
    }
}
