"""The pipeline of scripts/files: bwa, samtools and bcftools on made reads, once as a graph of Baton and once as a plain script.

    pipeline.py graph SEED BYTES CHUNKS     prints the graph file; each stage after the first is held
    pipeline.py local SEED BYTES CHUNKS     prints a script of bash that does the same in the directories of one host
    pipeline.py stages                      prints the names of the stages that are held, in order

Both run the same commands on the same names. What depends on the place, the time or a random number is left out of the files: the
programs' own records of their command lines (@PG, ##bcftoolsCommand), and with them the paths of the inputs.
"""
import json
import sys

# Name, elements (None for a single operation), needs, outputs, command. "{}" is the number of an element.
def stages(seed, size, chunks):
    part = 'n=$(printf %03d {})'
    return [
        ("reads", None, [], ["ref.fa", "reads.fq"], f"reads {seed} {size} ref.fa reads.fq"),
        ("index", None, ["reads"], ["ref.fa*"],
         'cp "$BATON_INPUTS"/reads/ref.fa . && chmod u+w ref.fa && bwa index ref.fa 2>/dev/null && samtools faidx ref.fa'),
        ("split", None, ["reads"], ["chunk.*"],
         f'reads="$BATON_INPUTS"/reads/reads.fq; lines=$(wc -l <"$reads"); '
         f'split -a 3 -d -l $(((lines / 4 + {chunks} - 1) / {chunks} * 4)) "$reads" chunk.'),
        ("align", chunks, ["index", "split"], ["aligned.bam"],
         f'{part}; ln -s "$BATON_INPUTS"/index/* . && '
         'bwa mem -t 1 -K 50000000 ref.fa "$BATON_INPUTS"/split/chunk.$n 2>/dev/null | grep -v "^@PG" | '
         'samtools view -b --no-PG -o aligned.bam -'),
        ("sort", chunks, ["align/="], ["sorted.bam"],
         'samtools sort --no-PG -m 100M -T part -o sorted.bam "$BATON_INPUTS"/align*/aligned.bam 2>/dev/null'),
        ("merge", None, ["sort"], ["merged.bam"],
         'samtools merge --no-PG -f merged.bam $(ls -v -d "$BATON_INPUTS"/sort.*/sorted.bam)'),
        ("call", None, ["merge", "index"], ["calls.vcf"],
         'ln -s "$BATON_INPUTS"/index/* "$BATON_INPUTS"/merge/merged.bam . && '
         'bcftools mpileup --no-version -f ref.fa merged.bam 2>/dev/null | '
         'bcftools call --no-version -mv -Ov -o calls.vcf'),
    ]


def graph(seed, size, chunks):
    operations = []
    for place, (name, count, needs, outputs, command) in enumerate(stages(seed, size, chunks)):
        # What runs notes itself on the disk of its host. The last stage waits there, so that its host can fail meanwhile.
        command = f'echo "$BATON_OPERATION $BATON_ATTEMPT" >> ~/ran; {command}'
        if name == "call":
            command = f"until [ -e ~/go ]; do sleep 0.1; done; {command}"
        operation = {"name": name, "command": command, "outputs": outputs, "needs": needs, "hold": place > 0}
        if count is not None:
            operation["array"] = f"0-{count - 1}"
        operations.append(operation)
    return json.dumps({
        "name": "pipeline", "keepFiles": "1d",
        "defaults": {"workspace": "fresh", "shell": "bash -euo pipefail -c", "timeout": "3h"},
        "operations": operations,
    })


def local(seed, size, chunks):
    lines = ["set -euo pipefail", "top=$PWD"]
    table = {stage[0]: stage for stage in stages(seed, size, chunks)}
    for name, count, needs, _, command in table.values():
        for number in [None] if count is None else range(count):
            own = name if number is None else f"{name}.{number}"
            lines += [f'export BATON_INPUTS="$top/inputs/{own}"', 'mkdir -p "$BATON_INPUTS"', f'mkdir "$top/{own}"']
            for need in needs:
                base = need.split("/")[0]
                elements = table[base][1]
                if elements is None:
                    folders = [base]
                elif need.endswith("/="):
                    folders = [f"{base}.{number}"]
                else:
                    folders = [f"{base}.{element}" for element in range(elements)]
                lines += [f'ln -s "$top/{folder}" "$BATON_INPUTS/{folder}"' for folder in folders]
            text = command.replace("{}", str(number))
            lines.append(f'(cd "$top/{own}"; {text})')
    return "\n".join(lines)


def main():
    if sys.argv[1] == "stages":
        print(*[stage[0] for stage in stages(0, 0, 1)[1:]])
        return
    print({"graph": graph, "local": local}[sys.argv[1]](*map(int, sys.argv[2:5])))


main()
