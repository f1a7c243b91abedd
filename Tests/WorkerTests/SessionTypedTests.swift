@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("Swift operations in a worker's session")
struct SessionTypedTests {
    private static let work = Work(.typed(type: "resize", argument: []))
    private static let inputs = (0..<3).map { index in
        TypedInput(operation: OperationID(job: JobNumber(9), index: index), outcome: .succeeded, result: [UInt8(index)])
    }

    private func dispatch(_ driver: inout SessionDriver, hasInputs: Bool) -> [WorkerSession.Effect] {
        driver.receive(.dispatch(batch([token(1)], work: Self.work, hasInputs: hasInputs)))
    }

    private func operation(_ index: UInt32) -> OperationID { OperationID(job: JobNumber(1), index: index) }

    /// The inputs of the attempts that a turn starts.
    private func inputs(_ effects: [WorkerSession.Effect]) -> [[TypedInput]] {
        effects.compactMap { if case .startAttempt(let assigned) = $0 { assigned } else { nil } }.map(\.inputs)
    }

    private func progress(_ effects: [WorkerSession.Effect]) -> [[AttemptProgress]] {
        effects.messages.compactMap { if case .progress(_, let progress) = $0 { progress } else { nil } }
    }

    @Test("DE20 A Swift operation starts with its inputs once all of them have arrived, and without any at once")
    func arrival() {
        var driver = SessionDriver.welcomed()
        let fetch = WorkerSession.Effect.send(.fetchTypedInputs(driver.session.session, token(1), operation(1)))
        #expect(dispatch(&driver, hasInputs: true) == [fetch])
        let first = Array(Self.inputs.prefix(2))
        #expect(driver.receive(.typedInputs(token(1), first: 0, first, isLast: false)).isEmpty)
        // Files are for commands.
        #expect(driver.receive(.inputs(token(1), [Input(name: "a", bytes: [1])], isLast: true)).isEmpty)
        let effects = driver.receive(.typedInputs(token(1), first: 2, [Self.inputs[2]], isLast: true))
        #expect(inputs(effects) == [Self.inputs])
        #expect(driver.receive(.typedInputs(token(1), first: 3, first, isLast: true)).isEmpty)

        let other = driver.receive(.dispatch(batch([token(2)], work: Self.work)))
        #expect(inputs(other) == [[]])
    }

    @Test("A piece that does not follow the earlier ones is dropped, and a new session begins with the first piece")
    func pieces() {
        var driver = SessionDriver.welcomed()
        _ = dispatch(&driver, hasInputs: true)
        #expect(driver.receive(.typedInputs(token(1), first: 1, Self.inputs, isLast: true)).isEmpty)
        driver.receive(.typedInputs(token(1), first: 0, Array(Self.inputs.prefix(2)), isLast: false))
        #expect(driver.receive(.typedInputs(token(1), first: 0, Self.inputs, isLast: true)).isEmpty)
        driver.turn(.connectionLost)
        driver.connect()
        let fetch = WorkerMessage.fetchTypedInputs(driver.session.session, token(1), operation(1))
        #expect(driver.welcome().messages.contains(fetch))
        // The last piece for the earlier session comes too late.
        #expect(driver.receive(.typedInputs(token(1), first: 2, [Self.inputs[2]], isLast: true)).isEmpty)
        #expect(inputs(driver.receive(.typedInputs(token(1), first: 0, Self.inputs, isLast: true))) == [Self.inputs])
    }

    @Test("A recalled Swift operation never starts, whatever inputs come")
    func recalled() {
        var driver = SessionDriver.welcomed()
        _ = dispatch(&driver, hasInputs: true)
        let effects = driver.receive(.recall([token(1)]))
        #expect(effects.returned == [token(1)])
        #expect(!effects.contains(.discardInputs(token(1))))
        #expect(driver.receive(.typedInputs(token(1), first: 0, Self.inputs, isLast: true)).isEmpty)
    }

    @Test("PG4 Progress is sent behind the start, and again in a new session; none of an attempt that has ended")
    func progress() {
        var driver = SessionDriver.welcomed()
        _ = dispatch(&driver, hasInputs: false)
        let (half, more) = (
            AttemptProgress(token(1), OperationProgress(fraction: 0.5)),
            AttemptProgress(token(1), OperationProgress(fraction: 0.75, message: "more"))
        )
        #expect(progress(driver.turn(.attemptsProgressed([half]))) == [[half]])
        #expect(progress(driver.turn(.tick)).isEmpty)
        driver.turn(.connectionLost)
        driver.turn(.attemptsProgressed([more, AttemptProgress(token(7), OperationProgress(fraction: 1))]))
        driver.connect()
        #expect(progress(driver.welcome()) == [[more]])
        driver.turn(.attemptFinished(token(1), result()))
        #expect(driver.turn(.attemptsProgressed([half])).isEmpty)
        driver.turn(.connectionLost)
        driver.connect()
        #expect(progress(driver.welcome()).isEmpty)
    }

    @Test("PG4 The last progress of an attempt goes out before the report of its end, behind that of its start")
    func lastProgress() {
        var driver = SessionDriver.welcomed()
        _ = dispatch(&driver, hasInputs: false)
        let last = AttemptProgress(token(1), OperationProgress(fraction: 0.9, message: "nearly"))
        let effects = driver.turn(.attemptsProgressed([last]), .attemptFinished(token(1), result()))
        #expect(progress(effects) == [[last]])
        let messages = effects.messages
        let sent = messages.firstIndex(of: .progress(driver.session.session, [last]))
        let end = messages.firstIndex {
            if case .report(_, let report) = $0 { !report.completions.isEmpty } else { false }
        }
        #expect(sent != nil && end != nil && sent ?? 0 < end ?? 0, "\(messages)")
        #expect(progress(driver.turn(.tick)).isEmpty)
    }

    @Test("The report of a start goes out before the progress of the attempt, however short before it")
    func order() {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(2, 3, 4)
        // Reports gather while attempts wait for the slot.
        driver.receive(.dispatch(batch([token(5)], work: Self.work)))
        for number: UInt64 in 2...4 { driver.turn(.attemptFinished(token(number), result())) }
        let half = AttemptProgress(token(5), OperationProgress(fraction: 0.5))
        let effects = driver.turn(.attemptsProgressed([half]))
        #expect(progress(effects) == [[half]])
        #expect(effects.messages.last == .progress(driver.session.session, [half]))
    }
}
