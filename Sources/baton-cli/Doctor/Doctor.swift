@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Checks what a command or a worker needs to reach its coordinator, one thing after the other.
struct Doctor {
    let global: GlobalOptions
    /// The results so far.
    private(set) var checks: [DoctorDocument.Check] = []
    /// The exit status of the first failed check.
    private(set) var status = ExitStatus.success

    /// How long an address may take to accept a connection.
    private static let connectPatience = Duration.seconds(5)
    /// How long the coordinator may take to answer.
    private static let answerPatience = GlobalOptions.answerTimeout
    /// The difference of clocks that confuses nobody.
    private static let clockTolerance = Duration.seconds(2)

    init(_ global: GlobalOptions) {
        self.global = global
    }

    /// Runs all checks.
    mutating func examine() async {
        let access = examineKey()
        let endpoint =
            access?.endpoint ?? global.givenCoordinator ?? CoordinatorAccess.defaultEndpoint
        if let probe = examineName(endpoint), examineReach(probe), let access {
            await examineCoordinator(access)
        } else {
            skip(.protocol, .role, .clock)
        }
        for finding in HostCheck.all(home: try? global.homeDirectory) { note(finding) }
    }

    /// The subjects of checks.
    enum Subject: String {
        case key, name, tcp, `protocol`, role, clock, disk, limits
    }

    // MARK: - The key and the way

    private mutating func examineKey() -> CoordinatorAccess? {
        do {
            let access = try global.keyLookup.access(
                for: [.client, .viewer, .worker],
                at: global.coordinator,
                isInsecure: global.isInsecure
            )
            guard let finding = access.key else {
                note(.key, .warning, "No key is used: everybody who reaches \(access.endpoint) can run commands.")
                return access
            }
            note(.key, .ok, Self.sentence(about: finding))
            return access
        } catch {
            fail(.key, CommandFailure(error))
            return nil
        }
    }

    private static func sentence(about finding: KeyLookup.Finding) -> String {
        let place =
            switch finding.source {
            case .variable: KeyLookup.variable
            case .file(let path): path
            case .operation: KeyLookup.operationVariable
            case .home: "the state directory"
            }
        switch finding.credential {
        case .key(let token): return "\(token.name), a \(token.role)'s key from \(place)."
        case .operation(let token): return "The token of operation \(token.proof.claim) from \(place)."
        }
    }

    private mutating func examineName(_ endpoint: String) -> ServerProbe? {
        guard let probe = ServerProbe(endpoint) else {
            fail(.name, CommandFailure(ClientError.invalidEndpoint(endpoint)))
            skip(.tcp)
            return nil
        }
        let addresses = probe.addresses
        guard !addresses.isEmpty else {
            fail(.name, CommandFailure(ClientError.unknownHost(probe.host, endpoint: endpoint)))
            skip(.tcp)
            return nil
        }
        let list = addresses.map(\.description).joined(separator: ", ")
        note(.name, .ok, "\(endpoint) leads to \(list).")
        return probe
    }

    /// Connects to every address.
    ///
    /// - Returns: whether any accepts.
    private mutating func examineReach(_ probe: ServerProbe) -> Bool {
        var sentences: [String] = []
        var accepts = false
        for address in probe.addresses {
            let start = ContinuousClock.now
            switch probe.answer(of: address, within: Self.connectPatience) {
            case .accepted:
                accepts = true
                let microseconds = (ContinuousClock.now - start).microseconds
                sentences.append("\(address) accepts after \(microseconds / 1_000).\(microseconds / 100 % 10) ms")
            case .refused: sentences.append("\(address) refuses: no process listens there")
            case .silent: sentences.append("\(address) does not answer: the host is away, or a firewall is between")
            case .failed(let reason): sentences.append("\(address) cannot be reached: \(reason)")
            }
        }
        let message = sentences.joined(separator: "; ") + "."
        guard accepts else {
            var failure = CommandFailure(ExitStatus.unreachable, code: "unreachable", message)
            failure.advice = Advice.about(ClientError.unreachable(""))
            fail(.tcp, failure)
            return false
        }
        note(.tcp, .ok, message)
        return true
    }

    // MARK: - The coordinator

    private mutating func examineCoordinator(_ access: CoordinatorAccess) async {
        do {
            let connection = try global.connect(access)
            let bytes = try await connection.document(.status, timeout: Self.answerPatience)
            let arrival = Timestamp.now
            let document = try DocumentReader.read(StatusDocument.self, from: bytes)
            note(
                .protocol,
                .ok,
                "The coordinator \(document.version) and this program speak a common version of the protocol."
            )
            noteRole(access)
            noteClock(document.time, arrival)
        } catch let error as ClientError where error.refusal?.code == .notAllowed && access.role == .worker {
            note(.protocol, .ok, "The coordinator admits the key.")
            noteRole(access)
            note(.clock, .skipped, "A worker's key cannot ask for the coordinator's time.")
        } catch let error as ClientError where error.code == .keyRefused || error.code == .keyMismatch {
            fail(.key, CommandFailure(error))
            skip(.protocol, .role, .clock)
        } catch {
            fail(.protocol, CommandFailure(error))
            skip(.role, .clock)
        }
    }

    private mutating func noteRole(_ access: CoordinatorAccess) {
        let message =
            switch access.role {
            case nil: "Without keys, everything is permitted."
            case .client: "client: commands may submit, change and read; a worker needs a worker's key."
            case .viewer: "viewer: commands may read states, and change nothing."
            case .worker: "worker: \"baton worker\" may run here; commands need a client's key."
            case .operation: "operation: commands act for the running operation."
            }
        note(.role, .ok, message)
    }

    private mutating func noteClock(_ time: Timestamp?, _ arrival: Timestamp) {
        guard let time else {
            return note(.clock, .skipped, "The coordinator is older than this program, and does not tell its time.")
        }
        let difference = arrival - time
        let size = max(difference, .zero - difference)
        guard size > Self.clockTolerance else {
            return note(.clock, .ok, "This host's clock and the coordinator's agree.")
        }
        note(
            .clock,
            .warning,
            "This host's clock is \(size.roughText) \(difference > .zero ? "ahead of" : "behind") the coordinator's.",
            advice: "Synchronize the clocks (NTP): times of starts and ends come from the workers' clocks."
        )
    }

    // MARK: - Results

    private mutating func note(
        _ subject: Subject,
        _ status: DoctorDocument.Status,
        _ message: String,
        advice: String? = nil
    ) {
        note(DoctorDocument.Check(check: subject.rawValue, status: status, message: message, advice: advice))
    }

    /// Adds a result; a later result for a subject replaces the earlier one.
    private mutating func note(_ check: DoctorDocument.Check) {
        if let position = checks.firstIndex(where: { $0.check == check.check }) {
            checks[position] = check
        } else {
            checks.append(check)
        }
    }

    private mutating func skip(_ subjects: Subject...) {
        for subject in subjects { note(subject, .skipped, "Not checked.") }
    }

    private mutating func fail(_ subject: Subject, _ failure: CommandFailure) {
        note(subject, .failed, failure.message, advice: failure.advice)
        if status == ExitStatus.success { status = failure.status }
    }
}
