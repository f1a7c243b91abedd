@_spi(Baton) import BatonOperations
import Testing

@Suite("Progress of an operation") struct OperationProgressTests {
    @Test(
        "A fraction of progress is kept in millionths",
        arguments: [
            (0, 0), (-0.0, 0), (1, 1_000_000), (0.5, 500_000), (0.25, 250_000), (0.000_001, 1), (0.999_999, 999_999),
        ] as [(Double, UInt32)]
    )
    func fractionProgressKeptMillionths(fraction: Double, millionths: UInt32) {
        #expect(OperationProgress(fraction: fraction).millionths == millionths)
    }

    @Test(
        "PG4 A fraction beyond 0 or 1 counts as the nearer end, and one that is not a number as 0",
        arguments: [
            (-0.5, 0), (-.leastNonzeroMagnitude, 0), (-.greatestFiniteMagnitude, 0), (-.infinity, 0), (.nan, 0),
            (.signalingNaN, 0), (1.000_001, 1_000_000), (2, 1_000_000), (.greatestFiniteMagnitude, 1_000_000),
            (.infinity, 1_000_000),
        ] as [(Double, UInt32)]
    )
    func fractionBeyond01(
        fraction: Double,
        millionths: UInt32
    ) {
        #expect(OperationProgress(fraction: fraction).millionths == millionths)
    }

    @Test("A fraction of progress in whole millionths is kept exactly")
    func fractionProgressWholeMillionths() {
        let changed = (0...20_000 as ClosedRange<UInt32>).filter {
            OperationProgress(fraction: Double($0) / 1_000_000).millionths != $0
        }
        #expect(changed.isEmpty)
    }

    @Test(
        "Millionths above the whole count as the whole",
        arguments: [(0, 0), (7, 7), (1_000_000, 1_000_000), (1_000_001, 1_000_000), (.max, 1_000_000)]
            as [(UInt32, UInt32)]
    )
    func millionthsAboveWholeCount(given: UInt32, millionths: UInt32) {
        let progress = OperationProgress(millionths: given, message: "m")
        #expect(progress.millionths == millionths)
        #expect(progress.fraction <= 1)
        #expect(progress.message == "m")
    }
}
