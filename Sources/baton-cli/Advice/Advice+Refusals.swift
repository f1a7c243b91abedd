@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// Advice about refusals.
///
/// A refusal has a code and no subject; the subject is in the request that the command line has sent.
extension Advice {
    /// The advice for a refused request.
    ///
    /// - Parameter request: the request; nil for a refused hello.
    static func about(_ refusal: Refusal, of request: Request?) -> String? {
        guard let request else { return nil }
        switch (refusal.code, request) {
        case (.notFound, _): return about(missingSubjectOf: request)
        case (.unknownDependency, .submit), (.unknownDependency, .add), (.unknownDependency, .depend):
            return "See \"baton list\" and \"baton show\"."
        case (.unplaceable, _): return unplaceable
        case (.unanswered, _), (.unavailable, .log), (.unavailable, .outputs): return workers
        case (.unavailable, .filePiece(let operation, _, _, _)): return files(of: operation.asShown)
        case (.unavailable, .result(let operation)): return "Wait for it with \"baton wait \(operation.asShown)\"."
        case (.unavailable, .stop), (.unavailable, .drain), (.unavailable, .waitForWorkers): return workers
        case (.invalid, .result(let address)): return allResults(of: address.asShown)
        case (.invalid, .document(.explain(let address))):
            return "\"baton explain \(address.job)\" tells what holds up the whole job."
        case (.invalid, .forget): return "\"baton stop NAME\" stops a worker."
        case (.invalid, .watch): return "Watch from the beginning with --since 0."
        default: return nil
        }
    }

    /// Where to see who has copies of files.
    static func files(of address: String) -> String {
        "\"baton files \(address)\" tells which files there are, and who holds them."
    }

    /// How to get the results of several operations.
    static func allResults(of address: String) -> String { "\"baton result \(address) --all\" prints all results." }

    /// Where to find the jobs, operations and queues that a request names.
    private static func about(missingSubjectOf request: Request) -> String? {
        switch request {
        case .wait(let addresses, let queue, _, _, _, _, _), .cancel(let addresses, let queue):
            lists(of: addresses, queue: queue)
        case .hold(let addresses), .release(let addresses), .pause(let addresses), .resume(let addresses),
            .signal(let addresses, _), .setPriority(let addresses, _):
            lists(of: addresses)
        case .depend(let operation, let dependencies): lists(of: [operation] + dependencies.map(\.target))
        case .undepend(let operation, let targets): lists(of: [operation] + targets)
        case .addCommand(let operation, _), .log(let operation, _, _, _, _), .result(let operation),
            .filePiece(let operation, _, _, _):
            lists(of: [operation])
        case .outputs(let selection): lists(of: [.job(selection.job)])
        case .history(let selection): lists(of: [.job(selection.job)])
        case .retry(let job, _, let groups, _, _, _, _, _, _) where !groups.isEmpty: "See \"baton failures \(job)\"."
        case .retry(let job, let operations, _, _, _, _, _, _, _): lists(of: [.job(job)] + operations)
        case .setQueue, .deleteQueue: queues
        case .setLimit: "See \"baton limit list\"."
        case .document(.job(let job, _, _, _)), .document(.failures(let job, _)), .document(.names(let job, _, _)),
            .document(.summary(let job)), .document(.graph(let job, _, _)), .document(.waiting(let job)):
            lists(of: [.job(job)])
        case .document(.operation(let address)), .document(.explain(let address)), .document(.files(let address, _, _)):
            lists(of: [address])
        case .document(.queue): queues
        case .add(_, let job): lists(of: [.job(job)])
        case .close(let jobs): lists(of: jobs.map { .job($0) })
        case .delete(let jobs): lists(of: jobs.map { .job($0) })
        case .drain, .undrain, .stop, .forget: workers
        case .changeSchedule, .startSchedule, .document(.schedule): "See \"baton schedule list\"."
        case .submit, .reportProgress, .watch, .document, .waitForWorkers, .addSchedule, .missingFiles, .sentPiece: nil
        }
    }

    /// The commands that list what a request names.
    private static func lists(of addresses: [Address], queue: String? = nil) -> String {
        let areJobs = addresses.allSatisfy { if case .job = $0 { true } else { false } }
        return switch (addresses.count, queue) {
        case (0, _): queues
        case (1, nil) where !areJobs: "See \"baton list\" and \"baton show \(addresses[0].job)\"."
        case (_, nil): areJobs ? "See \"baton list\"." : "See \"baton list\" and \"baton show\"."
        case (_, _?): "See \"baton list\", \"baton show\" and \"baton queue list\"."
        }
    }
}
