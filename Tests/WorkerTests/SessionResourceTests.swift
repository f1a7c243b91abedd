@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("Resources of attempts in a session")
struct SessionResourceTests {
    private static let offer = WorkerOffer(cpus: 4000, memory: 100, memoryControl: .sampling, resources: ["gpu": 2])

    private func driver(slots: UInt32 = 4) -> SessionDriver {
        var driver = SessionDriver(slots: slots) { $0.offer = Self.offer }
        driver.connect()
        driver.welcome()
        return driver
    }

    private func work(memory: Int64? = nil, gpus: Int64? = nil) -> Work {
        Work(.commands([["true"]]), memory: memory, resources: gpus.map { ["gpu": $0] } ?? [:])
    }

    /// The units of the attempts that are started.
    private func units(_ effects: [WorkerSession.Effect]) -> [AttemptToken: [Int]] {
        let starts = effects.compactMap { if case .startAttempt(let assigned) = $0 { assigned } else { nil } }
        return Dictionary(uniqueKeysWithValues: starts.map { ($0.assignment.token, $0.units["gpu"] ?? []) })
    }

    @Test("The hello has the offer")
    func hello() {
        var driver = SessionDriver { $0.offer = Self.offer }
        #expect(driver.connect().hellos.map(\.offer) == [Self.offer])
    }

    @Test("Attempts that run at once have different units, and get them back when their processes are gone")
    func numbers() {
        var driver = driver()
        let first = driver.receive(
            .dispatch(batch([token(1), token(2), token(3)], work: work(gpus: 1)))
        )
        #expect(units(first) == [token(1): [0], token(2): [1]])
        #expect(units(driver.turn(.slotFreed(token(2)))) == [token(3): [1]])
        #expect(driver.turn(.attemptFinished(token(2), result())).started.isEmpty)
    }

    @Test("An attempt that waits for units or memory is not overtaken, and completion hooks do not wait for it")
    func order() {
        var driver = driver()
        driver.receive(.dispatch(batch([token(1)], work: work(memory: 60, gpus: 2))))
        #expect(driver.receive(.dispatch(batch([token(2)], work: work(memory: 60)))).started.isEmpty)
        #expect(driver.dispatch(3).started.isEmpty)
        #expect(driver.dispatch(4, hookOutcome: .succeeded).started == [token(4)])
        #expect(driver.turn(.attemptFinished(token(1), result())).started == [token(2), token(3)])
    }

    @Test("A waiting attempt that is recalled lets the next ones start")
    func recall() {
        var driver = driver()
        driver.receive(.dispatch(batch([token(1)], work: work(gpus: 2))))
        driver.receive(.dispatch(batch([token(2)], work: work(gpus: 1))))
        driver.dispatch(3)
        let effects = driver.receive(.recall([token(2)]))
        #expect(effects.returned == [token(2)] && effects.started == [token(3)])
    }

    @Test("An attempt that asks for more than the worker has is the worker's fault, and the next one starts")
    func tooMuch() {
        var driver = driver(slots: 1)
        var effects = driver.receive(.dispatch(batch([token(1)], work: work(gpus: 3))))
        #expect(effects.started.isEmpty)
        #expect(
            effects.completions.map(\.result.end)
                == [.workerFault("The operation asks for 3 of gpu, and its worker has 2.", hasRun: false)]
        )
        effects = driver.receive(.dispatch(batch([token(2)], work: work(memory: 100, gpus: 2))))
        #expect(effects.started == [token(2)])
    }
}
