# Judges an image before Packer keeps it:
#   packer build -var host=ADDRESS -var 'options=--assume-driver 570 --assume-gpu H100' .
# The source is a machine that is there. Your own build needs the variables and the two provisioners, as its last.

variable "options" {
  type        = string
  description = "What gpuenv doctor is to judge: the driver and the GPU of the machines that will start the image."
}

variable "gpuenv" {
  type        = string
  default     = "@GPUENV@"
  description = "The program, on this machine. It must be one for the image's architecture."
}

variable "keep" {
  type        = string
  default     = "/usr/local/bin/gpuenv"
  description = "Where the program stays in the image; nothing: it does not stay."
}

variable "fail_on_unknown" {
  type        = bool
  default     = false
  description = "Whether the build fails when something is unknown, or when gpuenv did not judge."
}

variable "sudo" {
  type        = string
  default     = "sudo"
  description = "How to become root; nothing: the SSH user is root."
}

variable "host" {
  type = string
}

variable "port" {
  type    = number
  default = 22
}

variable "user" {
  type    = string
  default = "root"
}

variable "key" {
  type        = string
  default     = ""
  description = "The file of the SSH key; nothing: the agent has it."
}

source "null" "machine" {
  ssh_host             = var.host
  ssh_port             = var.port
  ssh_username         = var.user
  ssh_private_key_file = var.key
  ssh_agent_auth       = var.key == ""
}

build {
  sources = ["source.null.machine"]

  provisioner "file" {
    source      = var.gpuenv
    destination = "/tmp/gpuenv-of-packer"
  }

  provisioner "shell" {
    script          = "${path.root}/gpuenv-image-check"
    execute_command = "chmod +x {{ .Path }}; ${var.sudo} env {{ .Vars }} {{ .Path }}"
    environment_vars = [
      "PROGRAM=/tmp/gpuenv-of-packer",
      "OPTIONS=${var.options}",
      "KEEP=${var.keep}",
      "FAIL_ON_UNKNOWN=${var.fail_on_unknown}",
    ]
  }
}
