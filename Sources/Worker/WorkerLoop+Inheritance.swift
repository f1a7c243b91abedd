@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The attempts that pass from one worker to the next in the same directory, and the starts of which it learns.
extension WorkerLoop {
    /// Reads what an earlier worker has left; a file that cannot be used is put aside, and the log tells it.
    static func inheritance(in directory: WorkerDirectory, _ logger: Logger) -> [KeptAttempts.Attempt] {
        let file = directory.kept
        switch file.read() {
        case .missing:
            return []
        case .kept(let kept):
            logger.notice(
                "reporting what an earlier worker in this directory has left for the coordinator",
                metadata: ["attempts": "\(kept.attempts.count)"]
            )
            if kept.attempts.isEmpty { file.remove() }
            return kept.attempts(at: .now)
        case .unusable(let why):
            file.putAside()
            logger.warning(
                "what an earlier worker in this directory has left for the coordinator cannot be used, and its operations may run again",
                metadata: ["reason": "\(why)", "file": "\(file.damagedPath)"]
            )
            return []
        }
    }

    /// Opens the ledger of the directory.
    static func ledger(in directory: WorkerDirectory, _ logger: Logger) -> StartLedger? {
        do throws(FileFailure) {
            return try StartLedger(at: directory.ledger, in: directory.life)
        } catch {
            logger.warning(
                "the worker cannot note what it starts; after a kill of it and its coordinator, attempt numbers may be skipped",
                metadata: ["reason": "\(error)"]
            )
            return nil
        }
    }

    /// Leaves attempts to the next worker in the directory.
    func keep(_ attempts: [KeptAttempts.Attempt]) {
        let file = services.directory.kept
        do throws(FileFailure) {
            try file.write(KeptAttempts(moment: .now, attempts: attempts))
            options.logger.notice(
                "what the coordinator has not acknowledged is kept for the next worker in this directory",
                metadata: ["attempts": "\(attempts.count)", "file": "\(file.path)"]
            )
        } catch {
            options.logger.error(
                "what the coordinator has not acknowledged cannot be kept, and its operations may run again",
                metadata: ["attempts": "\(attempts.count)", "reason": "\(error)"]
            )
        }
    }
}

extension Timestamp {
    /// The present moment by the host's clock.
    fileprivate static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(rawValue: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }
}
