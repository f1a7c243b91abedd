@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Checks of this host: room on its disk, and its limits.
enum HostCheck {
    /// Less room than this is worth a warning: outputs and results of operations wait on the disk.
    private static let leastRoom: UInt64 = 1 << 30
    /// Fewer open files than this are worth a warning: each slot of a worker and each peer of a coordinator uses some.
    private static let fewestFiles: UInt64 = 4_096

    /// Runs the checks.
    ///
    /// - Parameter home: the state directory, which need not exist yet; nil if it is not known.
    static func all(home: String?) -> [DoctorDocument.Check] {
        (home.map { [disk(of: $0)] } ?? []) + [limits]
    }

    private static func disk(of home: String) -> DoctorDocument.Check {
        // The room is that of the nearest directory that exists.
        var path = home
        var status = statvfs()
        while statvfs(path, &status) != 0 {
            guard errno == ENOENT, let slash = path.dropLast().lastIndex(of: "/"), path != "/" else {
                let reason = String(cString: strerror(errno))
                return warning(.disk, "The room in \(home) cannot be found out: \(reason).", advice: otherHome)
            }
            path = slash == path.startIndex ? "/" : String(path[..<slash])
        }
        guard access(path, W_OK) == 0 else { return warning(.disk, "\(path) cannot be written.", advice: otherHome) }
        let room = UInt64(status.f_bavail) * UInt64(status.f_frsize)
        let text = "\(room >> 20) MiB are free for \(home)."
        return room < leastRoom ? warning(.disk, text, advice: "Make room. \(otherHome)") : ok(.disk, text)
    }

    private static var limits: DoctorDocument.Check {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let count = UInt64(limit.rlim_max)
        let text = "A process may open \(count == .max ? "any number of" : "up to \(count)") files."
        guard count < fewestFiles else { return ok(.limits, text) }
        return warning(
            .limits,
            text,
            advice:
                "Raise the hard limit (ulimit -H -n): each slot of a worker and each peer of a coordinator needs some."
        )
    }

    private static let otherHome = "Another directory can be named with --home or BATON_HOME."

    private static func ok(_ subject: Doctor.Subject, _ message: String) -> DoctorDocument.Check {
        DoctorDocument.Check(check: subject.rawValue, status: .ok, message: message)
    }

    private static func warning(
        _ subject: Doctor.Subject,
        _ message: String,
        advice: String
    ) -> DoctorDocument.Check {
        DoctorDocument.Check(check: subject.rawValue, status: .warning, message: message, advice: advice)
    }
}
