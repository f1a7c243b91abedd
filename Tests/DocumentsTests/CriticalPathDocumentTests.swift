@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Testing

@Suite("The document of a critical path", .timeLimit(.minutes(60)))
struct CriticalPathDocumentTests {
    private func seconds(_ times: [(seconds: Double, waited: Double)]) -> Double {
        let steps = times.enumerated().map { index, time in
            SummaryDocument.Step(
                operation: OperationID(job: JobNumber(1), index: UInt32(index)),
                name: nil,
                seconds: time.seconds,
                waited: time.waited
            )
        }
        return CriticalPathDocument(operations: steps, isCut: false).seconds
    }

    @Test("The time of the chain has whole microseconds, as the times of its steps")
    func microseconds() {
        #expect(seconds([]) == 0)
        #expect(seconds([(0.1, 0.2)]) == 0.3)
        #expect(seconds([(0.1, 0.2), (0.000_001, 0), (0, 0.7)]) == 1.000_001)
        for count in [3, 10, 1_000] {
            #expect(seconds(Array(repeating: (0.001_1, 0), count: count)) == Double(count * 1_100) / 1e6)
        }
        #expect(seconds([(864_000_000, 0.000_001)]) == 864_000_000.000_001)
        #expect(seconds([(.greatestFiniteMagnitude, 1)]) == 1e12)
    }
}
