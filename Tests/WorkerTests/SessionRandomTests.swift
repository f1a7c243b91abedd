import Testing

@_spi(Baton) @testable import BatonWorker

@Suite("Random orders of events")
struct SessionRandomTests {
    @Test(
        "A session runs nothing twice or beyond its slots, and sends every end until it is acknowledged",
        arguments: 1...200
    )
    func random(seed: UInt64) {
        var model = SessionModel(seed: seed)
        for _ in 0..<400 where model.failure == nil { model.step() }
        if model.failure == nil { model.finishAll() }
        if model.failure == nil { model.checkEnds() }
        #expect(model.failure == nil, "seed \(seed)")
        let (isFinished, hasStarted) = (model.isFinished, !model.started.isEmpty)
        #expect(isFinished, "seed \(seed)")
        #expect(hasStarted, "seed \(seed)")
    }
}
