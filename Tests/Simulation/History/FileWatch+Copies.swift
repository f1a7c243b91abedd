@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore

/// The copies of files at the end of a run.
extension FileWatch {
    /// Checks that each file which is kept beyond the run has as many copies as its operation wants, or as there are workers that can have
    /// one.
    ///
    /// A worker that has ever said that it does not copy a file need not have it. Of a file without any copy, none can be made.
    func checkCopies() {
        let workers = world.workers.filter(\.isRunning)
        for job in world.coordinator.disk.allJobs {
            guard job.job.submission.settings.keepFiles == FileWorkload.keepingTime else { continue }
            for operation in world.coordinator.disk.operations(of: job.job.number) {
                let id = operation.record.id
                guard operation.record.outcome == .succeeded, operation.record.hasFiles else { continue }
                for file in world.coordinator.disk.files(of: id) {
                    let holders = workers.filter { $0.files.store.holds(file.digest) }
                    let able = workers.filter {
                        $0.files.store.holds(file.digest) || !$0.files.notCopied.contains(file.digest)
                    }
                    let wanted = min(operation.template.work.copies, able.count)
                    guard !holders.isEmpty, holders.count < wanted else { continue }
                    report("\(file.path) of \(id) has \(holders.count) copies, and is to have \(wanted)")
                }
            }
        }
    }
}
