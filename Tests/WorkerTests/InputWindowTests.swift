@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonWorker

@Suite("The window of inputs")
struct InputWindowTests {
    private static func place(_ turn: UInt64, _ arrival: UInt64 = 0) -> WaitingLine.Place {
        WaitingLine.Place(turn: turn, arrival: arrival)
    }

    /// Takes all attempts that may be requested now.
    private static func takeAll(_ window: inout InputWindow) -> [AttemptToken] {
        var taken: [AttemptToken] = []
        while let token = window.takeNext() { taken.append(token) }
        return taken
    }

    @Test(
        "Large inputs are fetched for as many attempts as there are slots, or up to 16 MiB, in the order of the starts"
    )
    func large() {
        for (slots, most) in [(1, 16), (15, 16), (40, 40)] {
            var window = InputWindow(slots: slots)
            for number in (1...100 as ClosedRange<UInt64>).reversed() {
                window.add(token(number), at: Self.place(number))
            }
            // Nothing is known of the inputs yet: they are expected to be large.
            #expect(Self.takeAll(&window) == (1...UInt64(most)).map { token($0) })
            window.receive(1 << 19, of: token(1), isLast: false)
            window.receive(1 << 19, of: token(1), isLast: true)
            #expect(window.takeNext() == nil)
            window.remove(token(1), at: Self.place(1))
            #expect(Self.takeAll(&window) == [token(UInt64(most) + 1)])
        }
    }

    @Test("Small inputs are fetched for thousands of attempts, but not for more than the coordinator takes")
    func small() {
        var window = InputWindow(slots: 4)
        var taken = 0
        for number in 1...20_000 as ClosedRange<UInt64> { window.add(token(number), at: Self.place(number)) }
        while taken < 4200 {
            let next = Self.takeAll(&window)
            if next.isEmpty { break }
            taken += next.count
            for token in next { window.receive(10, of: token, isLast: true) }
        }
        #expect(taken == 4 + InputWindow.mostAttempts)
    }

    @Test("Inputs of an attempt that comes before all fetched ones are fetched at once, also if the window is full")
    func overtaking() {
        var window = InputWindow(slots: 1)
        for number in 10...100 as ClosedRange<UInt64> { window.add(token(number), at: Self.place(number)) }
        let first = Self.takeAll(&window)
        window.add(token(5), at: Self.place(5))
        #expect(Self.takeAll(&window) == [token(5)])
        // The window is as full as before once all have gone, whether they were fetched or not.
        for number in 5...100 as ClosedRange<UInt64> { window.remove(token(number), at: Self.place(number)) }
        for number in 10...100 as ClosedRange<UInt64> { window.add(token(number), at: Self.place(number)) }
        #expect(Self.takeAll(&window).count == first.count)
    }

    @Test("Inputs of unknown attempts, or longer than expected, change the window no more than they should")
    func unexpected() {
        var window = InputWindow(slots: 1)
        window.receive(1 << 30, of: token(7), isLast: true)
        window.remove(token(7), at: Self.place(7))
        for number in 1...100 as ClosedRange<UInt64> { window.add(token(number), at: Self.place(number)) }
        #expect(Self.takeAll(&window).count == 16)
        window.receive(64 << 20, of: token(1), isLast: false)
        for number in 2...16 as ClosedRange<UInt64> { window.remove(token(number), at: Self.place(number)) }
        #expect(window.takeNext() == nil)
        window.remove(token(1), at: Self.place(1))
        #expect(Self.takeAll(&window).count == 16)
    }
}
