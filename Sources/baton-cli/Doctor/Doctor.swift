@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Checks what a command or a worker needs to reach its coordinator, one thing after the other.
struct Doctor {
    let global: GlobalOptions
    /// The results so far; each key has some of its own, and so has each of several addresses.
    private var results: [(check: DoctorDocument.Check, role: Role?, endpoint: String?)] = []
    /// The record on a server that is to be examined, too; nil for none.
    private let record: RecordServer?
    /// The exit status of the first failed check.
    private(set) var status = ExitStatus.success

    /// How long an address may take to accept a connection.
    private static let connectPatience = Duration.seconds(5)
    /// How long the coordinator may take to answer.
    private static let answerPatience = GlobalOptions.answerTimeout
    /// The difference of clocks that confuses nobody.
    private static let clockTolerance = Duration.seconds(2)

    /// - Parameter record: the record on a server that is to be examined, too; nil for none.
    init(_ global: GlobalOptions, record: RecordServer? = nil) {
        self.global = global
        self.record = record
    }

    /// The results, those of one subject together.
    var checks: [DoctorDocument.Check] {
        var subjects: [String] = []
        for result in results where !subjects.contains(result.check.check) { subjects.append(result.check.check) }
        return subjects.flatMap { subject in results.map { $0.check }.filter { $0.check == subject } }
    }

    /// Runs all checks.
    mutating func examine() async {
        let (accesses, fault) = examineKeys()
        let known = accesses.first?.endpoint ?? global.givenCoordinator
        // Without any key, commands look for a coordinator at the default address, too.
        if let text = known ?? (fault == .noKey ? CoordinatorAccess.defaultEndpoint : nil) {
            if examineWays(to: EndpointList(asGiven: text), isDefault: known == nil) {
                await examineCoordinator(accesses)
            }
        } else {
            note(
                .name,
                .skipped,
                "The coordinator's address is not known: it belongs to the key, which cannot be used.",
                advice: "Mend the key first, or give the address with --coordinator or BATON_COORDINATOR."
            )
        }
        if let record { examine(record) }
        skipUnnoted(.tcp, .protocol, .role, .clock)
        for finding in HostCheck.all(home: try? global.homeDirectory) { note(finding) }
    }

    /// The subjects of checks.
    enum Subject: String {
        case key, name, tcp, `protocol`, role, record, standby, clock, disk, limits
    }

    // MARK: - The way

    /// Looks at each address.
    ///
    /// Where any of several addresses can be reached, the others are worth a warning: a coordinator that stands in is away.
    ///
    /// - Parameter isDefault: whether nobody has named an address.
    /// - Returns: whether any can be reached.
    private mutating func examineWays(to endpoints: EndpointList, isDefault: Bool) -> Bool {
        let isOneOfSeveral = endpoints.endpoints.count > 1
        let earlierStatus = status
        var isAnyReached = false
        for endpoint in endpoints.endpoints {
            let place = isOneOfSeveral ? endpoint : nil
            guard let probe = examineName(endpoint, as: place, isDefault: isDefault) else { continue }
            if examineReach(probe, as: place) { isAnyReached = true }
        }
        guard isOneOfSeveral, isAnyReached else { return isAnyReached }
        for index in results.indices where results[index].endpoint != nil && results[index].check.status == .failed {
            results[index].check.status = .warning
        }
        status = earlierStatus
        return true
    }

    /// Resolves an address.
    ///
    /// - Parameters:
    ///   - place: the address as one of several; nil for the only one.
    ///   - isDefault: whether nobody has named an address.
    private mutating func examineName(_ endpoint: String, as place: String?, isDefault: Bool) -> ServerProbe? {
        guard let probe = ServerProbe(endpoint) else {
            fail(.name, at: place, CommandFailure(ClientError.invalidEndpoint(endpoint)))
            return nil
        }
        let addresses = probe.addresses
        guard !addresses.isEmpty else {
            fail(.name, at: place, CommandFailure(ClientError.unknownHost(probe.host, endpoint: endpoint)))
            return nil
        }
        let list = addresses.map(\.description).joined(separator: ", ")
        let origin = isDefault ? ", the default address," : ""
        note(.name, at: place, .ok, "\(endpoint)\(origin) leads to \(list).")
        return probe
    }

    /// Connects to every address of a host.
    ///
    /// - Parameter place: the address as one of several; nil for the only one.
    /// - Returns: whether any accepts.
    private mutating func examineReach(_ probe: ServerProbe, as place: String?) -> Bool {
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
            fail(.tcp, at: place, failure)
            return false
        }
        note(.tcp, at: place, .ok, message)
        return true
    }

    // MARK: - The coordinator

    /// Says hello with each key.
    private mutating func examineCoordinator(_ accesses: [CoordinatorAccess]) async {
        let roles = Set(accesses.compactMap(\.role))
        for access in accesses {
            guard await examineCoordinator(access, keyRoles: roles) else { return }
        }
    }

    /// - Parameter keyRoles: the roles of all keys that are used here.
    /// - Returns: whether the coordinator has answered.
    private mutating func examineCoordinator(_ access: CoordinatorAccess, keyRoles: Set<Role>) async -> Bool {
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
            noteRole(access, keyRoles)
            noteOnce(Self.record(of: document))
            noteOnce(Self.standbys(of: document))
            noteClock(document.time, arrival)
        } catch let error as ClientError where error.refusal?.code == .notAllowed && access.role == .worker {
            if !hasNoted(.protocol) { note(.protocol, .ok, "The coordinator admits the key.") }
            noteRole(access, keyRoles)
            if !hasNoted(.clock) { note(.clock, .skipped, "A worker's key cannot ask for the coordinator's time.") }
        } catch let error as ClientError where error.code == .keyRefused || error.code == .keyMismatch {
            var failure = CommandFailure(error)
            if let key = access.key { failure.message = "\(Self.name(of: key)): \(failure.message)" }
            fail(.key, of: access.role, failure)
        } catch {
            fail(.protocol, CommandFailure(error))
            return false
        }
        return true
    }

    private mutating func noteRole(_ access: CoordinatorAccess, _ keyRoles: Set<Role>) {
        let hasCommandKey = keyRoles.contains(.client) || keyRoles.contains(.viewer)
        let message =
            switch access.role {
            case nil: "Without keys, everything is permitted."
            case .client:
                "client: commands may submit, change and read"
                    + (keyRoles.contains(.worker) ? "." : "; a worker needs a worker's key.")
            case .viewer: "viewer: commands may read states, and change nothing."
            case .worker:
                "worker: \"baton worker\" may run here" + (hasCommandKey ? "." : "; commands need a client's key.")
            case .operation: "operation: commands act for the running operation."
            case .coordinator:
                "coordinator: \"baton join --role coordinator\" gets the coordinator's own keys, and nothing else is permitted."
            }
        note(.role, of: access.role, .ok, message)
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

    /// Adds a result; a later result for a subject replaces the earlier one.
    ///
    /// - Parameters:
    ///   - role: the role of the key that the result is about, where each key has a result of its own.
    ///   - endpoint: the address that the result is about, where each of several addresses has a result of its own.
    mutating func note(
        _ subject: Subject,
        of role: Role? = nil,
        at endpoint: String? = nil,
        _ status: DoctorDocument.Status,
        _ message: String,
        advice: String? = nil
    ) {
        let check = DoctorDocument.Check(check: subject.rawValue, status: status, message: message, advice: advice)
        let position = results.firstIndex {
            $0.check.check == check.check && $0.role == role && $0.endpoint == endpoint
        }
        if let position {
            results[position].check = check
        } else {
            results.append((check, role, endpoint))
        }
    }

    mutating func note(_ check: DoctorDocument.Check) { results.append((check, nil, nil)) }

    /// Adds the results of one subject that do not depend on the key, with the first key that has led to them.
    private mutating func noteOnce(_ checks: [DoctorDocument.Check]) {
        guard let subject = checks.first?.check, !results.contains(where: { $0.check.check == subject }) else { return }
        for check in checks {
            note(check)
            if check.status == .failed, status == ExitStatus.success { status = ExitStatus.notAllowed }
        }
    }

    private func hasNoted(_ subject: Subject) -> Bool { results.contains { $0.check.check == subject.rawValue } }

    /// Whether the coordinator has led to the same result.
    func hasSaid(_ check: DoctorDocument.Check) -> Bool { results.contains { $0.check == check } }

    /// Notes the checks that depend on a failed check as skipped.
    private mutating func skipUnnoted(_ subjects: Subject...) {
        for subject in subjects where !hasNoted(subject) { note(subject, .skipped, "Not checked.") }
    }

    mutating func fail(
        _ subject: Subject,
        of role: Role? = nil,
        at endpoint: String? = nil,
        _ failure: CommandFailure
    ) {
        note(subject, of: role, at: endpoint, .failed, failure.message, advice: failure.advice)
        if status == ExitStatus.success { status = failure.status }
    }
}
