@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonCoordinator

@Suite("The time that the rest of a job takes")
struct JobPacesTests {
    private let job = JobNumber(1)
    private let start = Timestamp(rawValue: 1_000_000_000)

    private func time(_ seconds: Int) -> Timestamp { start + .seconds(seconds) }

    @Test("Without an earlier look, a job goes on as since its first start")
    func first() {
        var paces = JobPaces()
        let none = paces.rest(of: job, progress: 0, since: start, at: time(10))
        #expect(none == nil)
        let even = paces.rest(of: job, progress: 0.25, since: start, at: time(10))
        #expect(even == 30)
    }

    // 3 min 37 s were told, and 48 s were needed, because the first operations had run one after another.
    @Test("A job that has become faster is judged by its last minutes")
    func faster() throws {
        var paces = JobPaces()
        // A tenth in ten minutes, then a tenth in each minute.
        _ = paces.rest(of: job, progress: 0.1, since: start, at: time(600))
        for minute in 1...4 {
            let progress = 0.1 + 0.1 * Double(minute)
            let found = paces.rest(of: job, progress: progress, since: start, at: time(600 + 60 * minute))
            let rest = try #require(found)
            #expect(abs(rest - (1 - progress) * 600) < 1, "\(minute): \(rest)")
        }
    }

    @Test("A job that stands still takes longer and longer, and one that loses progress begins anew")
    func slower() throws {
        var paces = JobPaces()
        _ = paces.rest(of: job, progress: 0.5, since: start, at: time(100))
        _ = paces.rest(of: job, progress: 0.6, since: start, at: time(160))
        let soon = paces.rest(of: job, progress: 0.6, since: start, at: time(170))
        let later = paces.rest(of: job, progress: 0.6, since: start, at: time(215))
        #expect(try #require(later) > #require(soon))
        let anew = paces.rest(of: job, progress: 0.5, since: start, at: time(400))
        #expect(anew == 400)
    }

    @Test("Finished jobs are forgotten")
    func finished() {
        var paces = JobPaces()
        for number: UInt32 in 1...100 {
            _ = paces.rest(of: JobNumber(number), progress: 0.5, since: start, at: time(1))
        }
        paces.keepOnly { $0 == job }
        #expect(paces.count == 1)
    }
}
