package naming

import (
	"strings"
	"sync"
)

// commandSubjects returns what commands list, by their first words, and the kinds that
// kubectl abbreviates.
var commandSubjects = sync.OnceValue(func() map[string]string {
	subjects := map[string]string{}
	for line := range strings.Lines(commandSubjectList) {
		noun, commands, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for command := range strings.SplitSeq(commands, ", ") {
			subjects[command] = noun
		}
	}
	return subjects
})

// commandSubjectList has a line for each noun, with the commands that list it.
const commandSubjectList = `file: ls, find, tree, du, fd, dir, stat, git status, git diff, git ls-files, git add
commit: git log, git show, git reflog, git commit, git blame
branch: git branch, git checkout, git switch
stash: git stash
remote: git remote
tag: git tag
container: docker ps, docker run, docker start, docker stop, docker inspect, podman ps, crictl ps
image: docker images, docker build, docker pull, podman images, crictl images
volume: lsblk
service: docker compose, docker stack services, systemctl, service
task: docker service ps, docker stack ps, docker node ps
release: helm list, helm ls, helm install, helm upgrade, helm history
chart: helm search
process: ps, top, htop, pgrep, pstree
job: crontab, atq, jobs
package: pip list, pip freeze, pip install, npm ls, npm list, npm install, apt, apt-get, dpkg, yarn list, cargo install, brew, gem
resource: terraform state, terraform apply, terraform plan, tofu state, pulumi stack
session: tmux, screen, who, w
key: redis-cli
test: pytest, go test, npm test, cargo test
match: grep, rg, ag
user: id, getent
mount: df, mount
host: ssh, ping, dig, nslookup, host
pod: kubectl po, kubectl pods
service: kubectl svc
deployment: kubectl deploy
replica_set: kubectl rs, kubectl replicasets, kubectl replicaset
stateful_set: kubectl sts, kubectl statefulsets, kubectl statefulset
daemon_set: kubectl ds, kubectl daemonsets, kubectl daemonset
replication_controller: kubectl rc, kubectl replicationcontrollers, kubectl replicationcontroller
config_map: kubectl cm, kubectl configmaps, kubectl configmap
persistent_volume_claim: kubectl pvc, kubectl persistentvolumeclaims
persistent_volume: kubectl pv, kubectl persistentvolumes
namespace: kubectl ns
node: kubectl no
ingress: kubectl ing
cron_job: kubectl cj, kubectl cronjobs, kubectl cronjob
service_account: kubectl sa, kubectl serviceaccounts
event: kubectl ev
`
