@_spi(Baton) import BatonStore

extension CommandFailure {
    /// Converts the reason why a record cannot be copied, or a backup not be restored.
    ///
    /// - Parameter missing: the advice if the file to copy is missing; nil for none.
    init(_ error: StoreError, missing: String?) {
        let (status, code) =
            switch error.code {
            case .inUse, .locked: (ExitStatus.unreachable, "storeInUse")
            case .unreachable: (ExitStatus.unreachable, "storeUnreachable")
            case .library: (ExitStatus.unreachable, "storeLibrary")
            case .deposed: (ExitStatus.unreachable, "deposed")
            case .missing: (ExitStatus.notFound, "notFound")
            case .exists: (ExitStatus.refusedInput, "exists")
            case .incomplete: (ExitStatus.refusedInput, "storeIncomplete")
            case .unreadable, .elsewhere: (ExitStatus.refusedInput, "storeUnreadable")
            case .notAccessible, .notLockable, .notWritable, .notInPlace:
                (ExitStatus.ofUnusable(mayPass: error.mayPass), "storeNotAccessible")
            // A full disk, and failures of the system.
            default: (ExitStatus.fault, "fault")
            }
        self.init(status, code: code, error.message, advice: Advice.about(error, missing: missing))
    }
}

extension Advice {
    /// The advice for a record that cannot be copied.
    fileprivate static func about(_ error: StoreError, missing: String?) -> String? {
        switch error.code {
        case .inUse: "Stop it first: \"baton shutdown\" does, or its service manager."
        case .missing: missing
        default: nil
        }
    }
}
