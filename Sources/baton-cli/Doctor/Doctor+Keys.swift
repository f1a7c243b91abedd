@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonZeroMQ

/// Checks the keys: the one of the environment or, without one, each key that the state directory has for the coordinator.
extension Doctor {
    /// The roles that commands and workers need.
    private static let roles: [Role] = [.client, .viewer, .worker]

    /// Looks for the keys.
    ///
    /// - Returns: the usable ways to the coordinator, the one that most commands take first; and the kind of the fault if there
    ///   is no usable way.
    mutating func examineKeys() -> (accesses: [CoordinatorAccess], fault: KeyError.Code?) {
        let lookup: KeyLookup
        let isInsecure: Bool
        do throws(CommandFailure) {
            (lookup, isInsecure) = (try global.keyLookup, try global.isInsecure)
        } catch {
            fail(.key, error)
            return ([], nil)
        }
        let first: Result<CoordinatorAccess, KeyError>
        do throws(KeyError) {
            first = .success(try lookup.access(for: Self.roles, at: global.coordinator, isInsecure: isInsecure))
        } catch {
            first = .failure(error)
        }
        switch first {
        case .success(let access):
            guard let finding = access.key else {
                note(.key, .warning, "No key is used: everybody who reaches \(access.endpoint) can run commands.")
                return ([access], nil)
            }
            guard finding.source != .home else { return (examineHome(lookup, first: access), nil) }
            note(.key, of: access.role, .ok, "\(Self.name(of: finding)).")
            return ([access], nil)
        case .failure(let error):
            // A key of the environment is the only one that is looked for.
            if error.variable == nil, error.code != .noKey {
                let accesses = examineHome(lookup, first: nil)
                if !accesses.isEmpty { return (accesses, nil) }
            } else {
                fail(.key, CommandFailure(error))
            }
            return ([], error.code)
        }
    }

    /// Looks for the state directory's key of each role.
    ///
    /// - Parameter first: the way that was found for all roles together.
    private mutating func examineHome(_ lookup: KeyLookup, first: CoordinatorAccess?) -> [CoordinatorAccess] {
        var accesses = first.map { [$0] } ?? []
        var faults: [KeyError] = []
        for role in Self.roles where role != first?.role {
            do throws(KeyError) {
                accesses.append(try lookup.access(for: [role], at: global.coordinator))
            } catch {
                if error.code != .noKey, !faults.contains(where: { $0.message == error.message }) {
                    faults.append(error)
                    fail(.key, of: role, CommandFailure(error))
                }
            }
        }
        let server = accesses.first?.server
        for access in accesses {
            guard let finding = access.key else { continue }
            if access.server == server {
                note(.key, of: access.role, .ok, "\(Self.name(of: finding)).")
            } else {
                note(
                    .key,
                    of: access.role,
                    .skipped,
                    "\(Self.name(of: finding)), is for another coordinator.",
                    advice: finding.address.map { "Check it with --coordinator \($0)." }
                )
            }
        }
        return accesses.filter { $0.server == server }
    }

    /// A key and its place at the beginning of a sentence.
    static func name(of finding: KeyLookup.Finding) -> String {
        let place =
            switch finding.source {
            case .variable: KeyLookup.variable
            case .file(let path): path
            case .operation: KeyLookup.operationVariable
            case .home: "the state directory"
            }
        return switch finding.credential {
        case .key(let token): "\(token.name), a \(token.role)'s key from \(place)"
        case .operation(let token): "The token of operation \(token.proof.claim) from \(place)"
        }
    }
}

extension CoordinatorAccess {
    /// The key that proves the coordinator; nil without keys.
    fileprivate var server: CurvePublicKey? {
        switch key?.credential {
        case .key(let token): token.server
        case .operation(let token): token.server
        case nil: nil
        }
    }
}

extension KeyLookup.Finding {
    /// The coordinator's address in a key; nil if it has none.
    fileprivate var address: ServerAddress? {
        if case .key(let token) = credential { token.address } else { nil }
    }
}
