@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The files of a simulated worker, as its session has them moved.
extension WorkerHost {
    func fetchFiles(_ files: [InputFile], of token: AttemptToken) { self.files.fetch(files, of: token) }

    func dropFetch(of token: AttemptToken) { files.drop(token) }

    func releaseFiles(_ digests: [ContentDigest]) { files.release(digests) }

    func retainFiles(_ digests: [ContentDigest]) { files.retain(digests) }

    func verifyFiles(_ digests: [ContentDigest]) { files.verify(digests) }

    func copyFiles(_ files: [KeptFile]) { self.files.copy(files) }

    /// Notes by a message of the coordinator which session may move files, and which attempts need nothing but a slot.
    func noteFiles(_ message: CoordinatorMessage) {
        switch message {
        case .welcome:
            files.nobodyWaits()
            if let session = currentSession { files.connect(session) }
        case .dispatch(let batch):
            files.arrived(
                batch.items.filter { item in
                    !item.assignment.hasInputs && !item.assignment.isHook
                        && batch.works[Int(item.work)].input == nil
                }.map(\.assignment.token)
            )
        case .recall(let tokens), .cancel(let tokens): files.noLongerWait(tokens)
        case .heartbeat, .acknowledge, .inputs, .inputFiles, .releaseFiles, .retainFiles, .verifyFiles, .copyFiles:
            break
        default: files.nobodyWaits()
        }
    }

    /// Notes by a message of the worker that attempts will not start, or that the worker leaves with its files.
    func noteLeaving(_ message: WorkerMessage) {
        switch message {
        case .report(_, let report):
            // What cannot be started has an end, and has not left the line by its start.
            files.noLongerWait(report.returned + report.completions.map(\.token))
        case .leaving, .goodbye:
            noteDoubt()
            files.nobodyWaits()
        default: break
        }
    }
}
