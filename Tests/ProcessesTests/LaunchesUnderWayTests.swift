import Glibc
import Testing

@_spi(Baton) @testable import BatonProcesses

@Suite("Processes that are started while their thread goes on", .timeLimit(.minutes(60)))
struct LaunchesUnderWayTests {
    /// Begins launches, whose tokens count from 1, and takes their events until each has ended.
    private func events(of specifications: [ProcessSpecification]) throws -> [UInt64: [SupervisedProcesses.Event]] {
        let processes = try SupervisedProcesses()
        for (number, specification) in specifications.enumerated() {
            processes.launch(specification, token: UInt64(number + 1))
            #expect(processes.beginNext() == UInt64(number + 1))
        }
        #expect(processes.beginNext() == nil)
        var events: [UInt64: [SupervisedProcesses.Event]] = [:]
        while !processes.isEmpty || events.count < specifications.count {
            for event in processes.takeEvents(waitingAtMost: nil) {
                switch event {
                case .started(let token, _), .ended(let token, _): events[token, default: []].append(event)
                }
            }
        }
        return events
    }

    @Test("A start is told before its end, and of a failed launch only its failure", arguments: [1, 3, 8, 9, 40])
    func order(count: Int) throws {
        let specifications = (0..<count).map { number in
            number % 3 == 1 ? ProcessSpecification("/none/such") : .shell("exit \(number % 3)")
        }
        let events = try events(of: specifications)
        for number in 0..<count {
            let told = events[UInt64(number + 1)] ?? []
            if number % 3 == 1 {
                guard told.count == 1, case .ended(_, .failure(let failure)) = told[0] else {
                    Issue.record("\(number): \(told)")
                    continue
                }
                #expect(failure.description == "cannot run \"/none/such\": No such file or directory")
            } else {
                guard told.count == 2, case .started(_, let process) = told[0],
                    case .ended(_, .success(let exit)) = told[1]
                else {
                    Issue.record("\(number): \(told)")
                    continue
                }
                #expect(process > 0 && exit.end == .exited(Int32(number % 3)))
            }
        }
    }

    @Test("A failure before there is a process is told as any other")
    func failureAtOnce() throws {
        var specification = ProcessSpecification("true")
        specification.standardInput = "/none/such"
        let told = try events(of: [specification, ProcessSpecification("true")])
        guard let first = told[1], first.count == 1, case .ended(_, .failure(let failure)) = first[0] else {
            Issue.record("\(told)")
            return
        }
        #expect(failure.reason == .standardInput)
        #expect(told[2]?.count == 2)
    }

    @Test("The start of a process that does not end is told without any other event")
    func endless() throws {
        let processes = try SupervisedProcesses()
        processes.launch(ProcessSpecification("sleep", "1000"), token: 1)
        #expect(processes.beginNext() == 1)
        var started = false
        while !started {
            for event in processes.takeEvents(waitingAtMost: nil) {
                guard case .started(1, _) = event else {
                    Issue.record("\(event)")
                    return
                }
                started = true
            }
        }
        processes.shutDown()
        while !processes.isEmpty { _ = processes.takeEvents(waitingAtMost: nil) }
    }

    /// The ways to end a process that has just been begun.
    private enum Ending: CaseIterable {
        case signal, termination, terminationOfAll, shutDown
    }

    @Test("A process is reached by what is done to it right after it was begun", arguments: [1, 8, 12])
    func endedAtOnce(count: Int) throws {
        for ending in Ending.allCases {
            for _ in 0..<10 {
                let processes = try SupervisedProcesses()
                let tokens = (0..<count).map { UInt64($0 + 1) }
                for token in tokens {
                    processes.launch(ProcessSpecification("sleep", "1000"), token: token)
                    _ = processes.beginNext()
                }
                for token in tokens.reversed() {
                    switch ending {
                    case .signal: processes.deliver(SIGINT, to: token)
                    case .termination: processes.terminate(token, grace: nil)
                    case .terminationOfAll: processes.terminateAll(grace: nil)
                    case .shutDown: processes.shutDown()
                    }
                }
                var (started, ended) = (0, 0)
                while ended < count {
                    for event in processes.takeEvents(waitingAtMost: nil) {
                        switch event {
                        case .started: started += 1
                        case .ended(_, let result):
                            ended += 1
                            let exit = try result.get()
                            let signal =
                                switch ending {
                                case .signal: SIGINT
                                case .termination, .terminationOfAll: SIGTERM
                                case .shutDown: SIGKILL
                                }
                            #expect(exit.end == .signalled(signal), "\(ending)")
                            #expect(exit.terminated == (ending != .signal), "\(ending)")
                        }
                    }
                }
                #expect(started == count && processes.isEmpty)
            }
        }
    }

    @Test("A launch whose outcome has to be known at once is not under way")
    func settledAtOnce() throws {
        let processes = try SupervisedProcesses()
        for token in UInt64(1)...20 {
            processes.launch(ProcessSpecification("/none/such"), token: token, settlesAtOnce: true)
            #expect(processes.beginNext() == token)
            let events = processes.takeEvents()
            guard events.count == 1, case .ended(token, .failure) = events[0] else {
                Issue.record("\(events)")
                return
            }
        }
        #expect(processes.isEmpty)
    }
}
