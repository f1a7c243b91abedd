@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore

/// Checks a record on a server, and the coordinators that stand by: what would be missing if a host were lost.
extension Doctor {
    /// The checks of a record on a server; empty for a file, and for a coordinator of an earlier version.
    static func record(of status: StatusDocument) -> [DoctorDocument.Check] {
        guard status.store == "postgresql" else { return [] }
        return [replication(status.replication)]
    }

    /// The check of the replication of a server.
    private static func replication(_ replication: String?) -> DoctorDocument.Check {
        switch replication {
        case "synchronous":
            check(.record, .ok, "The database server of the record has a synchronous replica.")
        case nil:
            check(.record, .skipped, "The database server of the record does not say whether it has a replica.")
        default:
            check(
                .record,
                .warning,
                "The database server has no synchronous replica: if its host is lost, the last moments may be missing.",
                advice: "Set synchronous_standby_names on both servers."
            )
        }
    }

    /// The checks of the coordinators that stand by; empty if the coordinator does not report them.
    static func standbys(of status: StatusDocument) -> [DoctorDocument.Check] {
        guard let standbys = status.standbys else { return [] }
        guard !standbys.isEmpty else {
            return [
                check(
                    .standby,
                    .warning,
                    "No coordinator stands by: if the host of this one is lost, nobody takes over.",
                    advice: "Start another one on another host, with the same --store and with --standby."
                )
            ]
        }
        return standbys.map { standby in
            guard standby.sharesKeys != false else {
                return check(
                    .standby,
                    .failed,
                    "The coordinator at \(standby.address), which stands by, has another key than the leader: workers and commands "
                        + "would not follow.",
                    advice:
                        "Run \"baton authorize --role coordinator NAME\" at the leader, and \"baton join --role coordinator -\" there, "
                        + "with a state directory that has no keys; then start it again."
                )
            }
            return check(.standby, .ok, "The coordinator at \(standby.address) stands by.")
        }
    }

    /// Examines the server of a record from this host, as a coordinator of this host would.
    mutating func examine(_ server: RecordServer) {
        do throws(StoreError) {
            let examination = try ServerExamination(server)
            for finding in Self.findings(of: examination) where !hasSaid(finding) { note(finding) }
        } catch {
            fail(.record, at: server.description, CommandFailure(error, missing: nil))
        }
    }

    /// The checks of a server that was examined from this host.
    static func findings(of examination: ServerExamination) -> [DoctorDocument.Check] {
        var checks = [replication(examination.replication?.rawValue)]
        if examination.isSuperuser {
            checks.append(
                check(
                    .record,
                    .warning,
                    "The role \(examination.role) is a superuser of the database server: whoever has its password may do everything there.",
                    advice: "Make a role that owns the database of the record alone."
                )
            )
        }
        return checks
    }

    private static func check(
        _ subject: Subject,
        _ status: DoctorDocument.Status,
        _ message: String,
        advice: String? = nil
    ) -> DoctorDocument.Check {
        DoctorDocument.Check(check: subject.rawValue, status: status, message: message, advice: advice)
    }
}
