@_spi(Baton) import BatonArguments
import Testing

@Suite("Rates and remaining times")
struct ProgressEstimateTests {
    /// Looks at work ten times a second, and passes the remaining times on.
    ///
    /// - Parameters:
    ///   - parts: the number of finished parts at a time in seconds.
    ///   - total: the number of all parts.
    private func look(
        until end: Double,
        running: Int,
        total: Double,
        parts: (Double) -> Double,
        each: (Double, Double?) -> Void = { _, _ in }
    ) -> ProgressEstimate {
        var estimate = ProgressEstimate(parts: parts(0), at: .zero)
        var tenths = 0
        while Double(tenths) / 10 < end {
            tenths += 1
            let now = Double(tenths) / 10
            let done = parts(now)
            estimate.note(parts: done, rest: total - done, running: running, isReported: false, at: .seconds(now))
            each(now, estimate.remaining.map { $0 / .seconds(1) })
        }
        return estimate
    }

    @Test("Parts that finish evenly have their rate, and a remaining time that runs down like a clock")
    func even() throws {
        let estimate = look(until: 30, running: 2, total: 1000, parts: { ($0 * 10).rounded(.down) }) { now, remaining in
            guard now > 1, let remaining else { return }
            #expect(abs(remaining - (100 - now)) < 2, "at \(now): \(remaining)")
        }
        #expect(abs(try #require(estimate.rate(at: .seconds(30))) - 10) < 0.5)
        #expect(estimate.remaining != nil)
    }

    @Test("There is no rate and no remaining time before as many parts have finished as run beside each other")
    func nothingToGoBy() {
        var estimate = ProgressEstimate(parts: 7, at: .zero)
        #expect(estimate.rate(at: .seconds(1)) == nil && estimate.remaining == nil)
        // The eighth part was in work before the first look.
        for (parts, second) in [(7, 1), (8, 20), (10, 80), (11, 80)] as [(Double, Int)] {
            estimate.note(parts: parts, rest: 20 - parts, running: 4, isReported: false, at: .seconds(second))
            #expect(estimate.rate(at: .seconds(second)) == nil && estimate.remaining == nil, "\(parts)")
        }
        estimate.note(parts: 12, rest: 8, running: 4, isReported: false, at: .seconds(80))
        #expect(estimate.rate(at: .seconds(80)) == 4.0 / 60 && estimate.remaining == .seconds(120))
        // Without a rest, nothing remains.
        estimate.note(parts: 20, rest: 0, running: 0, isReported: false, at: .seconds(100))
        #expect(estimate.rate(at: .seconds(100)) != nil && estimate.remaining == nil)
    }

    @Test("Between parts that finish together, once a minute, the figures do not jump")
    func batches() {
        var last: Double?
        _ = look(until: 599, running: 4, total: 40, parts: { ($0 / 60).rounded(.down) * 4 }) { now, remaining in
            #expect((remaining == nil) == (now < 60), "at \(now)")
            guard let remaining else { return }
            #expect(abs(remaining - (600 - now)) < 1, "at \(now): \(remaining)")
            if let last { #expect(remaining < last + 0.2, "at \(now): \(remaining) after \(last)") }
            last = remaining
        }
    }

    @Test("A changed speed shows in the rate soon, and moves the remaining time in small steps")
    func change() throws {
        var last: Double?
        let estimate = look(
            until: 160,
            running: 2,
            total: 2000,
            parts: { $0 <= 100 ? ($0 * 10).rounded(.down) : 1000 + (($0 - 100) * 5).rounded(.down) }
        ) { now, remaining in
            if let last, let remaining { #expect(abs(remaining - last) < 4, "at \(now): \(remaining) after \(last)") }
            last = remaining
        }
        #expect(abs(try #require(estimate.rate(at: .seconds(160))) - 5) < 0.5)
        #expect(abs(try #require(last) - 140) < 15)
    }

    @Test("When nothing finishes for longer than usual, the rate falls, and an overdue end is not shown")
    func silence() throws {
        let estimate = look(until: 60, running: 1, total: 101, parts: { min(100, ($0 * 10).rounded(.down)) })
        #expect(try #require(estimate.rate(at: .seconds(60))) < 5)
        #expect(estimate.remaining == nil)
    }

    @Test("Work that began earlier has a rate and a remaining time from the first look on")
    func earlierWork() throws {
        var estimate = ProgressEstimate(parts: 50, after: .seconds(100), at: .seconds(3))
        estimate.note(parts: 50, rest: 25, running: 2, isReported: false, at: .seconds(3))
        #expect(abs(try #require(estimate.rate(at: .seconds(3))) - 0.5) < 0.01)
        #expect(abs(try #require(estimate.remaining) / .seconds(1) - 50) < 1)
        // Nothing has finished so far, or the clocks differ.
        var idle = ProgressEstimate(parts: 0, after: .seconds(-5), at: .zero)
        idle.note(parts: 0, rest: 3, running: 2, isReported: false, at: .zero)
        #expect(idle.rate(at: .seconds(9)) == nil && idle.remaining == nil)
    }

    @Test("Reported fractions are enough to go by, and a smaller number than before is none")
    func fractions() throws {
        var estimate = ProgressEstimate(parts: 0, at: .zero)
        estimate.note(parts: 0.1, rest: 0.9, running: 1, isReported: true, at: .seconds(10))
        #expect(abs(try #require(estimate.remaining) / .seconds(1) - 90) < 1)
        let rate = estimate.rate(at: .seconds(10))
        // The operation has failed and begins again.
        estimate.note(parts: 0, rest: 1, running: 1, isReported: true, at: .seconds(11))
        #expect(try #require(estimate.rate(at: .seconds(11))) <= #require(rate))
        estimate.note(parts: 0.1, rest: 0.9, running: 1, isReported: true, at: .seconds(21))
        #expect(abs(try #require(estimate.remaining) / .seconds(1) - 90) < 20)
    }
}
